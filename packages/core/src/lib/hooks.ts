import type { Mode } from './accounts/mode.ts'
import type { SubscriptionRef } from './ports/subscription-store.ts'
import type { DisabledReason } from './subscriptions/who-may-enable.ts'

/** A log entry for the platform's operators. It never contains a secret, token or personal value. */
export interface LogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  /** Related ids and numbers. */
  readonly fields?: Readonly<Record<string, string | number | boolean>> | undefined
}

/** Reports to the platform what callers must not see. Callboard prints nothing by itself. */
export interface Hooks {
  /** Called for an unexpected failure: the cause of a 500 (with its request id), or a failure in a worker. */
  readonly onError?: ((error: unknown, context: { readonly requestId?: string | undefined }) => void) | undefined
  /** Called when Callboard itself disabled a subscription. */
  readonly onSubscriptionDisabled?:
    | ((subscription: SubscriptionRef & { readonly reason: DisabledReason }) => void)
    | undefined
  /** Called once the store has recorded that the last attempt of a delivery failed. It can be resent by hand. */
  readonly onDeliveryExhausted?: ((delivery: ExhaustedDelivery) => void) | undefined
  readonly log?: ((entry: LogEntry) => void) | undefined
}

/** A delivery that used up its attempts, without the contents of requests and responses. */
export interface ExhaustedDelivery {
  readonly accountId: string
  readonly mode: Mode
  readonly subscriptionId: string
  readonly eventId: string
  readonly attempts: number
  /** HTTP status of the last attempt; undefined when there was no response. */
  readonly status: number | undefined
  /** Why there was no response, as a code; undefined when there was one. */
  readonly reason: string | undefined
}

/** The platform's hooks as Callboard calls them: always defined, and never throwing or rejecting. */
export interface GuardedHooks {
  onError(error: unknown, context?: { readonly requestId?: string | undefined }): void
  onSubscriptionDisabled(subscription: SubscriptionRef & { readonly reason: DisabledReason }): void
  onDeliveryExhausted(delivery: ExhaustedDelivery): void
  log(entry: LogEntry): void
}

/**
 * A throwing hook must not cost a caller its response, stop a worker, or look like a failure of the reported work. Its
 * error goes to `onError`; an error of `onError` is dropped. Async hooks are handled too, although the types rule them
 * out.
 */
export function guardHooks({ onError, onSubscriptionDisabled, onDeliveryExhausted, log }: Hooks): GuardedHooks {
  const guarded = (call: () => unknown, onThrown: (error: unknown) => void): void => {
    try {
      Promise.resolve(call()).catch(onThrown)
    } catch (error) {
      onThrown(error)
    }
  }
  const report: GuardedHooks['onError'] = (error, context = {}) =>
    guarded(
      () => onError?.(error, context),
      () => undefined,
    )
  return {
    onError: report,
    onSubscriptionDisabled: (subscription) => guarded(() => onSubscriptionDisabled?.(subscription), report),
    onDeliveryExhausted: (delivery) => guarded(() => onDeliveryExhausted?.(delivery), report),
    log: (entry) => guarded(() => log?.(entry), report),
  }
}
