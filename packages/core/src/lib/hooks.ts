import type { Mode } from './accounts/mode.ts'
import type { SubscriptionRef } from './ports/subscription-store.ts'
import type { DisabledReason } from './subscriptions/who-may-enable.ts'

/** One thing worth knowing for who runs the platform; carries no secret, token or personal value. */
export interface LogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  /** Ids and numbers that belong to it. */
  readonly fields?: Readonly<Record<string, string | number | boolean>> | undefined
}

/** Where Callboard tells the platform what it cannot tell a caller. Nothing is printed otherwise. */
export interface Hooks {
  /** An unknown failure: the cause of a 500 (with its request id), or of trouble in a worker. */
  readonly onError?: ((error: unknown, context: { readonly requestId?: string | undefined }) => void) | undefined
  /** A subscription was disabled by Callboard itself. */
  readonly onSubscriptionDisabled?:
    | ((subscription: SubscriptionRef & { readonly reason: DisabledReason }) => void)
    | undefined
  /** The last try of a delivery failed: it can be sent again by hand. Told once it is written down. */
  readonly onDeliveryExhausted?: ((delivery: ExhaustedDelivery) => void) | undefined
  readonly log?: ((entry: LogEntry) => void) | undefined
}

/** A delivery that ended without success; says nothing of what was sent or answered. */
export interface ExhaustedDelivery {
  readonly accountId: string
  readonly mode: Mode
  readonly subscriptionId: string
  readonly eventId: string
  readonly tries: number
  /** HTTP status of the last try; undefined: there was no response. */
  readonly status: number | undefined
  /** Why there was none, as a code. */
  readonly reason: string | undefined
}

/** The platform's hooks as Callboard calls them: always there, and none can throw, or reject, into the caller. */
export interface GuardedHooks {
  onError(error: unknown, context?: { readonly requestId?: string | undefined }): void
  onSubscriptionDisabled(subscription: SubscriptionRef & { readonly reason: DisabledReason }): void
  onDeliveryExhausted(delivery: ExhaustedDelivery): void
  log(entry: LogEntry): void
}

/**
 * A hook that throws must not cost a caller its answer, stop a worker, or pass for a failure of what it was told about. What
 * it throws goes to `onError`; what that one throws has nowhere to go. Platforms give async functions too, whatever the type says.
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
