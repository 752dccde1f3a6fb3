import type { Hooks, LogEntry } from '@callboard/core'

type DisabledSubscription = Parameters<NonNullable<Hooks['onSubscriptionDisabled']>>[0]

/** The platform's hooks, as a worker calls them: none of them can throw, or reject, into it. */
export interface GuardedHooks {
  onError(error: unknown): void
  onSubscriptionDisabled(subscription: DisabledSubscription): void
  log(entry: LogEntry): void
}

/**
 * A hook that throws must not stop a worker, or pass for a failure of what it was told about. What it throws goes to
 * `onError`; what that one throws has nowhere to go. Platforms give async functions too, whatever the type says.
 */
export function guardHooks({ onError, onSubscriptionDisabled, log }: Hooks): GuardedHooks {
  const guarded = (call: () => unknown, onThrown: (error: unknown) => void): void => {
    try {
      Promise.resolve(call()).catch(onThrown)
    } catch (error) {
      onThrown(error)
    }
  }
  const report = (error: unknown): void =>
    guarded(
      () => onError?.(error, {}),
      () => undefined,
    )
  return {
    onError: report,
    onSubscriptionDisabled: (subscription) => guarded(() => onSubscriptionDisabled?.(subscription), report),
    log: (entry) => guarded(() => log?.(entry), report),
  }
}
