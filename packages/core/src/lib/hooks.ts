import type { DisabledReason, SubscriptionRef } from './ports/subscription-store.ts'

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
  readonly log?: ((entry: LogEntry) => void) | undefined
}
