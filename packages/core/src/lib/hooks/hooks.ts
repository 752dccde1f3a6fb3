import type { EventRef } from '../ports/delivery-log.ts'
import type { FailingSubscription } from '../ports/lane-settlement.ts'
import type { ErasureCounts } from '../ports/maintenance-store.ts'
import type { SubscriptionRef } from '../ports/subscription-record.ts'
import type { DisabledReason } from '../subscriptions/who-may-enable.ts'
import { guarded } from './guarded.ts'
import { reportOnConsole } from './report-on-console.ts'

/** A log entry for the platform's operators. It never contains a secret, token or personal value. */
export interface LogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  /** Related ids and numbers. */
  readonly fields?: Readonly<Record<string, string | number | boolean>> | undefined
}

/**
 * The platform's own functions, which Callboard calls to report what API callers must not see. Callboard itself prints
 * nothing, except errors if there is no `onError`.
 */
export interface Hooks {
  /**
   * Called for an unexpected failure: the cause of a 500 (with its request id), or a failure in a worker. By default,
   * the console gets the code, name and source location of the error and the request id, once a minute for each kind of
   * error. An error of a database driver may contain values, which the default leaves out.
   */
  readonly onError?: ((error: unknown, context: { readonly requestId?: string | undefined }) => void) | undefined
  /** Called after Callboard itself has disabled a subscription. */
  readonly onSubscriptionDisabled?:
    | ((subscription: SubscriptionRef & { readonly reason: DisabledReason }) => void)
    | undefined
  /**
   * Called once when a subscription keeps failing: when 10 attempts have failed since the last success, or when an
   * attempt fails at least 10 minutes after the first of these failures. The hook is not called if the worker crashes
   * at that moment.
   */
  readonly onSubscriptionFailing?: ((subscription: FailingSubscription) => void) | undefined
  /** Called for a subscription's first success after it kept failing (see `onSubscriptionFailing`). */
  readonly onSubscriptionRecovered?: ((subscription: SubscriptionRef) => void) | undefined
  /**
   * Called after the store has recorded that the last attempt of a delivery failed. The delivery can still be resent by
   * hand.
   */
  readonly onDeliveryExhausted?: ((delivery: ExhaustedDelivery) => void) | undefined
  /**
   * Called after each successful delivery in a deprecated format version, before the store records the delivery. See
   * `previous` of `defineCatalog`.
   */
  readonly onDeprecatedDelivery?: ((delivery: DeprecatedDelivery) => void) | undefined
  /**
   * Called at the end of a call of `erasure`, once for each account from which the call erased data, even if it erased
   * only responses. For the platform's audit trail; the argument does not say whose data was erased.
   */
  readonly onErased?: ((erasure: AccountErasure) => void) | undefined
  readonly log?: ((entry: LogEntry) => void) | undefined
}

/** A delivery in a deprecated format version. */
export interface DeprecatedDelivery extends EventRef {
  readonly subscriptionId: string
  readonly type: string
  /** The version that the subscription gets. */
  readonly version: string
}

/** A delivery that used up its attempts, without the contents of requests and responses. */
export interface ExhaustedDelivery extends EventRef {
  readonly subscriptionId: string
  readonly attempts: number
  /** HTTP status of the last attempt; undefined when there was no response. */
  readonly status: number | undefined
  /** A code for why there was no response; undefined when there was a response. */
  readonly reason: string | undefined
}

/** The counts of what was erased from the events of one account. */
export interface AccountErasure extends ErasureCounts {
  readonly accountId: string
}

/** The platform's hooks as Callboard calls them: always defined, and never throwing or rejecting. */
export type GuardedHooks = {
  readonly [Hook in Exclude<keyof Hooks, 'onError'>]-?: NonNullable<Hooks[Hook]>
} & {
  /** Whether the platform has its own `onError`. */
  readonly hasOnError: boolean
  onError(error: unknown, context?: { readonly requestId?: string | undefined }): void
}

/**
 * Wraps the hooks so that a hook that throws cannot cost a caller its response, stop a worker, or look like a failure
 * of the reported work. An error in a hook is passed to `onError`; an error in `onError` itself is dropped. Async hooks
 * are guarded in the same way.
 */
export function guardHooks(hooks: Hooks, now: () => number): GuardedHooks {
  const { onSubscriptionDisabled, onSubscriptionFailing, onSubscriptionRecovered } = hooks
  const { onDeliveryExhausted, onDeprecatedDelivery, onErased, log, onError = reportOnConsole(now) } = hooks
  const report: GuardedHooks['onError'] = (error, context = {}) =>
    guarded(
      () => onError(error, context),
      () => undefined,
    )
  return {
    hasOnError: hooks.onError !== undefined,
    onError: report,
    onSubscriptionDisabled: (subscription) => guarded(() => onSubscriptionDisabled?.(subscription), report),
    onSubscriptionFailing: (subscription) => guarded(() => onSubscriptionFailing?.(subscription), report),
    onSubscriptionRecovered: (subscription) => guarded(() => onSubscriptionRecovered?.(subscription), report),
    onDeliveryExhausted: (delivery) => guarded(() => onDeliveryExhausted?.(delivery), report),
    onDeprecatedDelivery: (delivery) => guarded(() => onDeprecatedDelivery?.(delivery), report),
    onErased: (erasure) => guarded(() => onErased?.(erasure), report),
    log: (entry) => guarded(() => log?.(entry), report),
  }
}
