import type { EndedState } from '../ports/delivery-record.ts'
import type { BackfillState } from '../ports/subscription-store.ts'

/**
 * The queue of one subscription. These files are the rules of a lane: each act (`settled`, `disabled`, …) takes the
 * lane, the retries it holds and what happened, and returns a {@link LaneChange}. The acts read no clock and create no
 * ids. The memory store runs them. Postgres does the same to rows, and the conformance suite compares the answers of
 * both stores in random steps.
 *
 * What is always true of a lane:
 * - `settledThrough` and `epoch` never fall, and `settledThrough` is at most `head`. Every delivery up to
 *   `settledThrough` has ended or is among the retries.
 * - Of the leases ever made, only the one with the present `epoch` can be settled, and only while the lane is held:
 *   `state` is `leased`, or it is `disabled` and the lease was made before. So a delivery ends once.
 * - A disabled lane is never due: `wakeAt` is undefined.
 * - A lane with work has a `wakeAt`, unless it is disabled or all its retries wait for an earlier event of their
 *   subject.
 * - The place of a backfill only moves forward, unless somebody starts the backfill again or extends it.
 */
export interface Lane {
  /** While `paused`, the breaker is open, and new events do not make the lane due. */
  readonly state: 'idle' | 'leased' | 'paused' | 'disabled'
  readonly settledThrough: number
  /** The feed has nothing for the lane after this position. */
  readonly head: number
  /** The end of the feed when the subscription was created, last enabled or skipped to now. */
  readonly began: number
  /** The last backfill; undefined if there was none. */
  readonly backfill: Backfill | undefined
  /**
   * When the lane is due, or when its lease expires; in milliseconds since 1970, like every time here. Undefined if the
   * lane has no work.
   */
  readonly wakeAt: number | undefined
  /** If the subscription was disabled while a worker held a lease: when that lease expires. */
  readonly leasedUntil: number | undefined
  /** Rises with every lease, and whenever a lease is lost. */
  readonly epoch: number
  /** Counts the leases since the lane was last settled, except those that cannot have crashed their worker. */
  readonly claims: number
  /** Whether work was added while the lane was leased. */
  readonly nudged: boolean
  /** The lease during which all pending deliveries were ended, and how. That lease sends and retries nothing more. */
  readonly skipped: { readonly epoch: number; readonly as: SkippedState } | undefined
  /** Consecutive failures, as the breaker counts them. */
  readonly breakerFailures: number
  /** Whether the target was slow or failing at the last attempt. */
  readonly slow: boolean
  /** How many attempts have failed since the last success, and when the first of them did. */
  readonly failedAttempts: number
  readonly failingSince: number | undefined
  /** Whether the lane was reported as failing since its last success. */
  readonly reported: boolean
}

/**
 * A range of events from before the subscription, at the positions (`reached`, `to`], which are sent beside the lane's
 * own. No event of the range has a row. An event that was delivered, or is retrying, is left out, so going through a
 * part of the range again sends nothing twice.
 */
export interface Backfill {
  readonly state: BackfillState
  /** Events that were published earlier are not sent. */
  readonly since: number
  readonly startedAt: number
  /** The lowest position after which a backfill of the subscription ever began. */
  readonly from: number
  /** Every delivery of the range up to this position has ended or is a retry. */
  readonly reached: number
  readonly to: number
}

/** How deliveries end that are not attempted any more. */
export type SkippedState = Extract<EndedState, 'skipped' | 'disabled'>

/** A delivery that waits for its next attempt, apart from the feed. */
export interface Retry {
  readonly eventId: string
  readonly attempts: number
  /** Undefined while the delivery waits for an earlier event of its subject. */
  readonly dueAt: number | undefined
  readonly suspect: boolean
  readonly redacted: boolean
  /** When somebody resent this one delivery, which then goes before all others. Otherwise undefined. */
  readonly askedAt: number | undefined
  /** The epoch of the lease during which somebody last resent the delivery; undefined if the lane was not leased. */
  readonly resentEpoch: number | undefined
  /**
   * Whether somebody resent the delivery after it had ended, or a backfill has sent it. No other delivery of its
   * subject waits for it.
   */
  readonly manual: boolean
  /** Undefined if the event was removed before the retry was stored. */
  readonly subject: string | undefined
  /** Undefined if the event was removed, or had no position yet, when the retry was stored. */
  readonly position: number | undefined
}

/** A lane's retries, by event. */
export type Retries = ReadonlyMap<string, Retry>

/** A lane that starts at the feed's end. */
export function newLane(end: number): Lane {
  return {
    state: 'idle',
    settledThrough: end,
    head: end,
    began: end,
    backfill: undefined,
    wakeAt: undefined,
    leasedUntil: undefined,
    epoch: 0,
    skipped: undefined,
    ...HEALTHY,
  }
}

/** What is forgotten when a subscription is enabled or gets a new target. */
export const HEALTHY: Pick<
  Lane,
  'claims' | 'nudged' | 'breakerFailures' | 'slow' | 'failedAttempts' | 'failingSince' | 'reported'
> = {
  claims: 0,
  nudged: false,
  breakerFailures: 0,
  slow: false,
  failedAttempts: 0,
  failingSince: undefined,
  reported: false,
}

/** Whether this is the lease that can settle the lane. */
export function isHeldBy(lane: Lane, epoch: number): boolean {
  return lane.epoch === epoch && (lane.state === 'leased' || lane.state === 'disabled')
}

/** Whether a worker holds a lease that outlasts disabling and enabling the subscription. */
export function isStillHeld({ leasedUntil }: Lane, now: number): boolean {
  return leasedUntil !== undefined && leasedUntil > now
}

/** Whether the lane has events to send that were not attempted yet. */
export function hasFreshWork({ head, settledThrough, backfill }: Lane): boolean {
  return head > settledThrough || backfill?.state === 'running'
}

/** When the lane next has something to send; undefined if it has nothing. */
export function nextWork(lane: Lane, retries: Iterable<Retry>, now: number): number | undefined {
  if (hasFreshWork(lane)) return now
  let next: number | undefined
  for (const { dueAt } of retries) if (dueAt !== undefined && dueAt < (next ?? Infinity)) next = dueAt
  return next === undefined ? undefined : Math.max(next, now)
}
