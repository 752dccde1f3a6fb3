import type { DisabledReason } from '../subscriptions/who-may-enable.ts'
import type { EventText } from './event-store.ts'
import type { SealedSecret, SubscriptionRef } from './subscription-store.ts'

/** A lane in the hands of one worker. */
export interface LaneLease extends SubscriptionRef {
  /**
   * The fencing token: a lease holds while the lane still has its epoch. A lane's epoch rises, and every lease from before is lost,
   * whenever
   * - the lane is leased: by `lease` or `sequenceAndLease`;
   * - `releaseLeases` gives it back;
   * - its subscription goes to another target (`change`);
   * - its subscription is enabled.
   *
   * A store may raise it at other times when no lease is held; nothing counts epochs.
   */
  readonly epoch: number
}

export interface LeaseRequest {
  /** Which worker, for people who look. */
  readonly worker: string
  /** Lanes at most. */
  readonly lanes: number
  /** Deliveries of one lane at most. */
  readonly perLane: number
  /** Accounts of which none is to be leased: they have their share. */
  readonly leaveOut: readonly string[]
  readonly leaseMs: number
  /** Which slots are free: lanes of healthy targets, or of slow and failing ones. */
  readonly slow: boolean
}

/** Whether a lane's deliveries may be sent at this moment, and with what. */
export interface LaneStanding {
  /** False when the subscription was removed or disabled, or its key no longer counts. */
  readonly deliverable: boolean
  /** Set when it is to be disabled: its confirming key is revoked or expired. */
  readonly hold: Extract<DisabledReason, 'key'> | undefined
  /** Whether personal data may be sent: asked anew each time, never remembered longer than a second. */
  readonly personalData: boolean
}

export interface LeasedDelivery {
  readonly eventId: string
  /** Place in the feed; undefined for a retry. */
  readonly position: number | undefined
  /** Tries so far. */
  readonly tries: number
  /** A claim of it ended without a word before: it is tried alone, and its try is written down first. */
  readonly suspect: boolean
  /** It was tried without personal data before, and stays without it: between tries a body only ever loses. */
  readonly redacted: boolean
  /** Opaque; undefined where the subscription keeps no order. */
  readonly subject: string | undefined
  /** An earlier event of its subject has not ended: it is not to be sent now, but settled as a retry that waits. */
  readonly blocked: boolean
  /** Undefined: retention has overtaken it. */
  readonly event: EventText | undefined
  /** The trace that the event was published in, if it was kept. */
  readonly trace: string | undefined
}

export interface LeasedLane {
  readonly lease: LaneLease
  readonly targetUrl: string
  /** Those that sign now, newest first. */
  readonly secrets: readonly SealedSecret[]
  readonly standing: LaneStanding
  /** Everything in the feed up to here is settled or in retries. */
  readonly cursor: number
  /** Where the cursor stands when all that was leased from the feed is settled. */
  readonly through: number
  /** Consecutive failures (see `breaker`). */
  readonly failures: number
  /** Due retries first, then the feed in its order. */
  readonly deliveries: readonly LeasedDelivery[]
}

export type AttemptOutcome = 'delivered' | 'failed' | 'exhausted' | 'gone' | 'expired'

/** One POST and what came of it. */
export interface AttemptRecord {
  readonly id: string
  readonly eventId: string
  /** 1 for the first. */
  readonly number: number
  readonly outcome: AttemptOutcome
  /** HTTP status; undefined: there was no response. */
  readonly status: number | undefined
  /** Why there was none, an `AttemptReason` or the code of a newer worker; names no address. */
  readonly reason: string | undefined
  readonly durationMs: number
  /** The part of the response that is kept. */
  readonly response: string | undefined
}

export interface RetryRecord {
  readonly eventId: string
  /** Tries so far. */
  readonly tries: number
  /** Due this long after the settle, by the store's clock; undefined: when no earlier event of its subject waits any more. */
  readonly delayMs: number | undefined
  readonly suspect: boolean
  readonly redacted: boolean
}

/** What a worker has to say about a lane that it holds. Times are the store's. */
export interface LaneSettlement {
  readonly lease: LaneLease
  readonly cursor: number
  readonly attempts: readonly AttemptRecord[]
  /** Written, or rewritten, to be tried again. */
  readonly retries: readonly RetryRecord[]
  /** Retries that ended, whichever way. */
  readonly ended: readonly string[]
  /** Subjects of which something ended or waits now: the next event of each becomes due if nothing is before it. */
  readonly subjects: readonly string[]
  /** Consecutive failures now. */
  readonly failures: number
  readonly succeeded: boolean
  /** Failed tries among the attempts. */
  readonly failedTries: number
  /** Whether the lane belongs to the slots for slow and failing targets from now on. */
  readonly slow: boolean
  /** The breaker is open: leave the lane alone this long; 0: it is closed. */
  readonly pauseMs: number
  readonly disable: DisabledReason | undefined
  /** True keeps the lease (its epoch and its end) for the sends still to come; false gives the lane back. */
  readonly keep: boolean
}

/** When a subscription that only fails is disabled (decisions, “Failing”). */
export interface FailingRule {
  readonly tries: number
  readonly durationMs: number
}

export interface SettleResult {
  /** The leases that had been lost: nothing of theirs was written. */
  readonly fenced: readonly LaneLease[]
  /** The subscriptions that this settle disabled. */
  readonly disabled: readonly (SubscriptionRef & { readonly reason: DisabledReason })[]
}

/** What a step of placing came to. */
export interface SequencedLanes {
  /** Events that were given their place. */
  readonly placed: number
  readonly lanes: readonly LeasedLane[]
  /** Whether other lanes may have work now. */
  readonly rest: boolean
}

export interface DeliveryBacklog {
  /** Committed events that have no position yet. */
  readonly outbox: number
  /** Milliseconds since the oldest of them was published. */
  readonly outboxAgeMs: number
}

/** What waits at this moment, in all accounts together. */
export interface DeliveryGauges extends DeliveryBacklog {
  /** Milliseconds for which the lane that waits longest for a worker has been due. */
  readonly laneLagMs: number
  /** Deliveries that wait for their next try; 100,000 at most: where more wait, how many more is no news, and counting takes its time. */
  readonly retries: number
  /** Subscriptions that are disabled, by reason. */
  readonly disabled: Readonly<Record<DisabledReason, number>>
}

export interface DeliveryStore {
  /**
   * Gives committed events their place in the feed, in the order in which they became visible (events of one subject in
   * the order of their sequence), and wakes the lanes they match. Of several callers one does it, the others return at
   * once with 0. Positions that were handed out are never handed out again. Returns how many were placed.
   */
  sequence(limit: number): Promise<number>

  /**
   * Does what `sequence` does, and may lease lanes in the same step, as `lease` would, of those that it gave work: such as have no other,
   * where that makes the step little longer. None is as good an answer: what was not leased is found by `lease`.
   */
  sequenceAndLease(limit: number, request: LeaseRequest): Promise<SequencedLanes>

  /**
   * Calls back when events may have come, as soon as the store learns of it. A hint that comes late, for nothing, or never where
   * a store cannot tell: whoever waits for work looks for it as well. Returns how to stop.
   */
  listen(onWork: () => void): () => void

  /**
   * Leases lanes that have work due, those that waited longest first. When several workers ask at once, each lane
   * goes to exactly one of them; a lease not settled within `leaseMs` may be handed out again, with a higher epoch that
   * fences the old one. A lane whose breaker is open, or that was leased twice without a word, yields one delivery.
   * Nothing due writes nothing.
   *
   * Where the subscription orders by subject, an event is `blocked` while an earlier one of its subject is being retried or waits,
   * and behind an earlier one of the same lease. What was sent again by hand after it had ended neither blocks nor is blocked.
   */
  lease(request: LeaseRequest): Promise<LeasedLane[]>

  /** How the lanes stand now, in the order asked; a lease that was lost is not deliverable. */
  check(leases: readonly LaneLease[]): Promise<LaneStanding[]>

  /**
   * Writes down what happened: attempts, retries, the lane's cursor and health, and gives lanes back, all in one
   * transaction, each lane only if the lease still holds. For a subscription that was disabled since the lease, what was sent
   * is still written down; one that was removed has no lease any more.
   */
  settle(settlements: readonly LaneSettlement[], failing: FailingRule): Promise<SettleResult>

  /**
   * Gives back every lane that is leased, whoever holds it, and fences the holders: for a worker that is the only one and
   * finds leases at its start, which a dead process left. Returns how many.
   */
  releaseLeases(): Promise<number>

  /**
   * Wakes lanes that have work but no time to wake at, or an event that waits for an earlier one which is there no more. For once a
   * minute; mends what a lost wake-up left.
   */
  sweep(): Promise<number>

  backlog(): Promise<DeliveryBacklog>

  /** One look for who watches from outside, every few seconds at most. */
  gauges(): Promise<DeliveryGauges>
}
