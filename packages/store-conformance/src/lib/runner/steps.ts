import type { DisabledReason } from '@callboard/core'
import type { ResendableState, SubscriptionAct } from '@callboard/core/store'

/**
 * One step. The number in a field such as `subscription` picks an existing subscription: it is an index, taken modulo
 * the number of subscriptions. If there is none, the step does nothing.
 */
export type Step =
  | { readonly do: 'publish'; readonly drafts: readonly DraftStep[] }
  | { readonly do: 'begin'; readonly draft: DraftStep }
  | { readonly do: 'commit' | 'rollback'; readonly open: number }
  | { readonly do: 'subscribe'; readonly home: number; readonly key: number; readonly slot: number }
  | Importing
  | { readonly do: 'change'; readonly subscription: number; readonly act: SubscriptionAct }
  | { readonly do: 'resend'; readonly subscription: number; readonly event: number }
  | {
      readonly do: 'resendRange'
      readonly subscription: number
      readonly states: readonly ResendableState[]
      /** How old the events are at most. */
      readonly minutes: number
    }
  /** Starts or extends a backfill with the events that are at most this old. */
  | { readonly do: 'backfill'; readonly subscription: number; readonly minutes: number }
  | {
      readonly do: 'issueKey'
      readonly home: number
      readonly personalData: boolean
      readonly minutes: number | undefined
    }
  | { readonly do: 'rotateKey'; readonly home: number; readonly key: number; readonly minutes: number }
  | { readonly do: 'revokeKey'; readonly home: number; readonly key: number }
  | { readonly do: 'growCatalog'; readonly type: string }
  | (Erasing & { readonly do: 'erasePerson'; readonly home: number; readonly person: string })
  /** `home` is one of the account's homes; undefined for all accounts. */
  | (Erasing & { readonly do: 'eraseBefore'; readonly home: number | undefined; readonly minutes: number })
  | { readonly do: 'deleteAccount'; readonly home: number }
  | {
      readonly do: 'retain'
      readonly what: 'events' | 'attempts' | 'responses' | 'subscriptions'
      readonly minutes: number
      /** The most rows of a kind that one step of the pass removes. */
      readonly limit: number
      /** How many responses are kept of each subscription. */
      readonly newest: number
    }
  | { readonly do: 'sequence'; readonly limit: number }
  | (Leasing & { readonly do: 'lease' })
  | { readonly do: 'settle'; readonly plans: readonly Plan[] }
  /** One round of a worker: sequence, lease, send and settle. */
  | (Leasing & { readonly do: 'work'; readonly plans: readonly Plan[] })
  | { readonly do: 'crash'; readonly held: number }
  | { readonly do: 'check' | 'sweep' | 'restart' }
  | { readonly do: 'advance'; readonly minutes: number }

export interface DraftStep {
  readonly home: number
  readonly type: string
  readonly subject: number
  /** `id` and `key` determine the publisher's own id and idempotency key; undefined if the publisher passes none. */
  readonly id: number | undefined
  readonly key: number | undefined
  readonly input: number
  /** Part of a generated id, so that ids do not rise in the order of publishing. */
  readonly salt: number
  readonly person: string | undefined
  /** Whether the event contains personal data. */
  readonly patch: boolean
  /** Whether the publishing process still has the former catalogue. */
  readonly outdated: boolean
}

export interface Erasing {
  /** Whether the erasing process still has the former catalogue. */
  readonly outdated: boolean
  /** Whether another process erases the same events at the same time. */
  readonly twice: boolean
  /** Whether an open transaction commits after the erasure began. */
  readonly commits: boolean
}

export interface Leasing {
  readonly lanes: number
  readonly perLane: number
  readonly minutes: number
}

export type PlannedOutcome = 'delivered' | 'failed' | 'gone' | 'aborted' | 'expired'

/** How a worker settles a lane that it holds. */
export interface Plan {
  readonly held: number
  /** The number of deliveries that the worker settles. It keeps the rest of its deliveries for later. */
  readonly count: number
  readonly outcomes: readonly PlannedOutcome[]
  /** Whether the worker keeps the lease while there are deliveries that it has not settled. */
  readonly keep: boolean
  /** The number of the first deliveries whose requests are still open, if the worker keeps the lease. */
  readonly open: number
  /** Whether the worker records the attempt at a suspect delivery before it sends the request. */
  readonly recordFirst: boolean
  /** Minutes until a retry. */
  readonly minutes: number
  readonly breakerFailures: number
  /** The number of minutes for which the breaker pauses the lane. */
  readonly pause: number
  readonly slow: boolean
  /** Whether the target's responses have a text. */
  readonly answers: boolean
}

/** Imports a subscription. `again` picks one that exists already; undefined for a new one. */
export interface Importing {
  readonly do: 'import'
  readonly home: number
  readonly slot: number
  readonly again: number | undefined
  readonly personalData: boolean
  readonly disabledReason: DisabledReason | undefined
}
