import type { DisabledReason } from '../subscriptions/who-may-enable.ts'

/** The result of one check, for the platform's operators. Contains no password and no account data. */
export interface Finding {
  /** A short name of the check, such as `migrations`. */
  readonly check: string
  /** `skipped` when the check was not possible; the message says why. */
  readonly verdict: 'ok' | 'warning' | 'problem' | 'skipped'
  readonly message: string
  /** What to do; undefined when nothing needs doing. */
  readonly advice?: string | undefined
}

/** Lanes that are due but not leased by any worker. */
export interface WaitingLanes {
  readonly lanes: number
  /** How long the first of them has been due, in milliseconds; 0 when there are none. */
  readonly longestMs: number
}

/** The state of the delivery work. */
export interface WorkSurvey {
  /** The store's clock. */
  readonly clock: Date
  /** Lanes whose lease has run out. */
  readonly lapsed: WaitingLanes
  /** Lanes with work due. */
  readonly due: WaitingLanes
  /** Subscriptions that were disabled within the requested time and still are, by reason. */
  readonly disabled: readonly { readonly reason: DisabledReason; readonly subscriptions: number }[]
}

export interface StoreSurvey {
  /** Findings about the store itself, specific to its kind. */
  readonly findings: readonly Finding[]
  /** Undefined when it cannot be read; a finding says why. */
  readonly work: WorkSurvey | undefined
}
