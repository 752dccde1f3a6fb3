import type { DisabledReason } from '../subscriptions/who-may-enable.ts'

/** One thing that was looked at, for who runs the platform. Says nothing secret: no password, no customer's value. */
export interface Finding {
  /** What was looked at, in a word or two: `migrations`. */
  readonly check: string
  /** `skipped`: it could not be looked at, and the message says why. */
  readonly verdict: 'ok' | 'warning' | 'problem' | 'skipped'
  readonly message: string
  /** What to do. Undefined where there is nothing to do. */
  readonly advice?: string | undefined
}

/** Lanes that nobody has taken though it was time. */
export interface WaitingLanes {
  readonly lanes: number
  /** How long the first of them has waited, in milliseconds; 0 for none. */
  readonly longestMs: number
}

/** How the work stands. */
export interface WorkSurvey {
  /** The store's clock. */
  readonly clock: Date
  /** Their lease has run out. */
  readonly lapsed: WaitingLanes
  /** They have had work due. */
  readonly due: WaitingLanes
  /** Subscriptions that are disabled, and became so in the time asked for. */
  readonly disabled: readonly { readonly reason: DisabledReason; readonly subscriptions: number }[]
}

export interface StoreSurvey {
  /** What there is to say of the store itself, whatever it is. */
  readonly findings: readonly Finding[]
  /** Undefined where it cannot be read: a finding says why. */
  readonly work: WorkSurvey | undefined
}
