import type { DisabledReason } from '../subscriptions/who-may-enable.ts'
import type { EventText } from './event-store.ts'
import type { SealedSecret, SubscriptionRef } from './subscription-store.ts'

/** A worker's time-limited right to a lane. */
export interface LaneLease extends SubscriptionRef {
  /**
   * The fencing token. A lease ends when its holder settles it without `keep`; it is lost earlier when the lane's epoch
   * rises or the lane is deleted. Running past `leaseMs` does not lose it: another worker must lease the lane first.
   *
   * The epoch rises whenever
   * - the lane is leased, by `lease` or `sequenceAndLease`;
   * - `releaseLeases` takes the lane back;
   * - the subscription gets another target (`change`);
   * - a disabled subscription is enabled.
   *
   * Removing the subscription deletes the lane. A store may also raise the epoch while no lease is held. Epochs only
   * rise, and no other meaning may be read into their values.
   */
  readonly epoch: number
}

export interface LeaseRequest {
  /** Name of the worker, for operators. */
  readonly worker: string
  /** Lanes to lease, at most. */
  readonly lanes: number
  /** Deliveries per lane, at most. */
  readonly perLane: number
  /** Accounts to pass over because they already have their fair share. */
  readonly leaveOut: readonly string[]
  readonly leaseMs: number
  /** True leases only lanes of slow or failing targets; false only lanes of healthy ones. */
  readonly slow: boolean
}

/** Whether a lane's deliveries may be sent at this moment, and whether with personal data. */
export interface LaneStanding {
  /** False when the lease is lost, the subscription is disabled, or its confirming key is not valid. */
  readonly deliverable: boolean
  /** Set when the subscription must be disabled because its confirming key is revoked or expired. */
  readonly hold: Extract<DisabledReason, 'key'> | undefined
  /** Whether personal data may be sent. Never rely on a value older than one second. */
  readonly personalData: boolean
}

export interface LeasedDelivery {
  readonly eventId: string
  /** Position in the feed; undefined for a retry. */
  readonly position: number | undefined
  /** Attempts so far. */
  readonly attempts: number
  /** May have crashed a worker: attempt it alone, and record the attempt before making it. */
  readonly suspect: boolean
  /**
   * An earlier attempt was sent without personal data, so all later ones are: a body never gains data between attempts.
   */
  readonly redacted: boolean
  /** Opaque key of the event's subject; undefined unless the subscription orders by subject. */
  readonly subject: string | undefined
  /** An earlier event of its subject has not ended: do not send it, but settle it as a retry without `delayMs`. */
  readonly blocked: boolean
  /** Undefined when retention has removed the event. */
  readonly event: EventText | undefined
  /** The trace in which the event was published, if stored. */
  readonly trace: string | undefined
}

export interface LeasedLane {
  readonly lease: LaneLease
  readonly targetUrl: string
  /** The secrets that sign now, newest first. */
  readonly secrets: readonly SealedSecret[]
  readonly standing: LaneStanding
  /** Every delivery up to this position is settled or is a retry. */
  readonly cursor: number
  /** The cursor to settle once everything leased from the feed is settled or is a retry. */
  readonly through: number
  /** Consecutive failures, which open the breaker. */
  readonly failures: number
  /** Due retries first, then new deliveries in the order of the feed. */
  readonly deliveries: readonly LeasedDelivery[]
}

export type AttemptOutcome = 'delivered' | 'failed' | 'exhausted' | 'gone' | 'expired'

/** One attempt and its outcome. */
export interface AttemptRecord {
  readonly id: string
  readonly eventId: string
  /** 1 for the first attempt. */
  readonly number: number
  readonly outcome: AttemptOutcome
  /** HTTP status; undefined when there was no response. */
  readonly status: number | undefined
  /** Why there was no response: an `AttemptReason`, or the code of a newer worker. Contains no address. */
  readonly reason: string | undefined
  readonly durationMs: number
  /** The stored part of the response. */
  readonly response: string | undefined
}

export interface RetryRecord {
  readonly eventId: string
  /** Attempts so far. */
  readonly attempts: number
  /**
   * Time from the settle, by the store's clock, until it is due; undefined: due once no earlier event of its subject is
   * left.
   */
  readonly delayMs: number | undefined
  readonly suspect: boolean
  readonly redacted: boolean
}

/** A worker's report on a lane that it holds. All times are taken from the store's clock. */
export interface LaneSettlement {
  readonly lease: LaneLease
  readonly cursor: number
  readonly attempts: readonly AttemptRecord[]
  /** Deliveries to attempt again; each replaces an existing retry of the same event. */
  readonly retries: readonly RetryRecord[]
  /** Events whose delivery has ended, successfully or not. */
  readonly ended: readonly string[]
  /** Subjects with a delivery that ended or waits. The next event of each becomes due if no earlier one is left. */
  readonly subjects: readonly string[]
  /** Consecutive failures after this visit. */
  readonly failures: number
  readonly succeeded: boolean
  /** How many of the attempts failed. */
  readonly failedAttempts: number
  /** Whether the lane counts as slow or failing from now on. */
  readonly slow: boolean
  /** How long an open breaker pauses the lane; 0 while the breaker is closed. */
  readonly pauseMs: number
  readonly disable: DisabledReason | undefined
  /** True keeps the lease, with its epoch and expiry, for requests still to be sent; false ends it. */
  readonly keep: boolean
}

/** Disables a subscription after at least this many failed attempts, over at least this long, without a success. */
export interface FailingRule {
  readonly attempts: number
  readonly durationMs: number
}

export interface SettleResult {
  /** Leases that had been lost, for which nothing was recorded. */
  readonly fenced: readonly LaneLease[]
  /** Subscriptions that this call disabled. */
  readonly disabled: readonly (SubscriptionRef & { readonly reason: DisabledReason })[]
}

/** The result of {@link DeliveryStore.sequenceAndLease}. */
export interface SequencedLanes {
  /** How many events were sequenced. */
  readonly sequenced: number
  readonly lanes: readonly LeasedLane[]
  /** Whether lanes that were not leased may have work now. */
  readonly rest: boolean
}

export interface DeliveryBacklog {
  /** Committed events without a position. A store may stop counting at 10,000. */
  readonly outbox: number
  /** Milliseconds since the oldest of them was published; 0 when there are none. */
  readonly outboxAgeMs: number
}

/** The outstanding work of all accounts. */
export interface DeliveryGauges extends DeliveryBacklog {
  /** How long the most overdue lane has been waiting for a worker, in milliseconds. */
  readonly laneLagMs: number
  /** Deliveries with a time for their next attempt. Capped at 100,000, because counting further is slow. */
  readonly retries: number
  /** Disabled subscriptions, by reason. */
  readonly disabled: Readonly<Record<DisabledReason, number>>
}

/** The worker's side of deliveries. */
export interface DeliveryStore {
  /**
   * Gives committed events their positions in the feed, at most `limit` of them, and wakes the lanes that they match.
   * Returns how many events were sequenced.
   *
   * Each position is higher than all positions given out before, so a reader that follows positions misses nothing. The
   * events of one subject get theirs in the order of their sequence. When several callers race, one of them sequences
   * and the others return 0 at once.
   */
  sequence(limit: number): Promise<number>

  /**
   * Like `sequence`, and may also lease some of the lanes that it woke, as `lease` would, if they had no other work.
   * Returning none is always correct, because `lease` finds whatever was not leased here.
   */
  sequenceAndLease(limit: number, request: LeaseRequest): Promise<SequencedLanes>

  /**
   * Calls back as soon as the store learns that events may have been published. Only a hint: it may be late, spurious
   * or absent, so callers must also poll. Returns a function that stops the calls.
   */
  listen(onWork: () => void): () => void

  /**
   * Leases lanes with work due, those due longest first. Writes nothing when nothing is due.
   *
   * When several workers ask at once, each lane goes to exactly one of them. A lane not settled within `leaseMs` may be
   * leased again, with a higher epoch that fences the old lease. A lane yields one delivery at a time while its breaker
   * is open, or once two leases in a row were not settled.
   *
   * Where a subscription orders by subject, an event is `blocked` while an earlier event of its subject is being
   * retried, waits, or is part of the same lease. A delivery resent by hand after it had ended neither blocks nor is
   * blocked.
   */
  lease(request: LeaseRequest): Promise<LeasedLane[]>

  /** Reads how the lanes stand now, in the order of the leases. A lost lease is not deliverable. */
  check(leases: readonly LaneLease[]): Promise<LaneStanding[]>

  /**
   * Records attempts, retries, and the lanes' cursors and health, and ends leases, all in one transaction. Each lane is
   * settled only if its lease still holds, so of two workers that hold leases of one lane only the later one settles.
   *
   * A lease still holds when its subscription was disabled in the meantime: what was sent is recorded, and the
   * subscription stays disabled. Of a removed subscription nothing is recorded.
   */
  settle(settlements: readonly LaneSettlement[], failing: FailingRule): Promise<SettleResult>

  /**
   * Ends the leases of all active subscriptions, fences their holders and makes the lanes due. Returns how many. Only
   * for the start of a process that is the sole worker, so that every lease it finds was left by a dead process.
   */
  releaseLeases(): Promise<number>

  /**
   * Repairs lost wake-ups: wakes lanes with work but no wake time, and events that wait for an earlier one that no
   * longer exists. Call it once a minute. Returns how many lanes it woke.
   */
  sweep(): Promise<number>

  backlog(): Promise<DeliveryBacklog>

  /** Reads all gauges at once, for monitoring. Call it at most every few seconds. */
  gauges(): Promise<DeliveryGauges>
}
