import type { WorkerReport } from '../deliveries/worker-report.ts'
import type { DisabledReason } from '../subscriptions/who-may-enable.ts'
import type { EventText } from './event-store.ts'
import type { SealedSecret, SubscriptionRef } from './subscription-store.ts'

/** A worker's time-limited right to send the deliveries of a lane, which is the queue of one subscription. */
export interface LaneLease extends SubscriptionRef {
  /**
   * The lane's epoch at the time of the lease, a fencing token: a lease is lost as soon as its lane has a higher epoch
   * or is deleted. Otherwise, the lease ends when its holder settles the lane with `keep: false`. Age alone does not
   * end a lease. But once a lease is older than `leaseMs`, another worker can lease the lane, which raises the epoch.
   *
   * The epoch rises whenever
   * - the lane is leased, by `lease` or `sequenceAndLease`;
   * - `releaseLeases`, `attend` or `leave` takes the lane back;
   * - the subscription gets a new target (`change`);
   * - a disabled subscription is enabled, except while a worker still holds a lease, no older than `leaseMs`, from
   *   before the subscription was disabled. That worker keeps its lease, which ends when it would have ended.
   *
   * Removing the subscription deletes the lane. A store may also raise the epoch while no lease is held. Epochs only
   * rise, and their values have no other meaning.
   */
  readonly epoch: number
}

/** A lane that has work due, or whose lease has expired. */
export interface DueLane extends SubscriptionRef {
  /** Name and port of the target, as in `URL.host`. */
  readonly host: string
  /** Whether the lane's last visit found its target slow or failing. */
  readonly slow: boolean
  /** Since when the lane has been due, in milliseconds since 1970 by the store's clock. */
  readonly dueAt: number
  /** The lane's epoch when it was found. It lets the store find the lane again; the lane may have changed since. */
  readonly epoch: number
}

/** How far a search for due lanes has got. Only the store that returned it can read it. */
export interface DuePosition {
  /** When the search began, in milliseconds since 1970 by the store's clock. */
  readonly since: number
  /** The last lane found; undefined once the search has found all. */
  readonly last: { readonly dueAt: string; readonly id: string } | undefined
}

export interface DueRequest {
  /** The most lanes to return. */
  readonly limit: number
  /**
   * How far the search has got. If it has found all, only lanes that became due since it began are found. Undefined
   * begins a search for all due lanes.
   */
  readonly after: DuePosition | undefined
}

export interface DueLanes {
  /** Those that have been due longest first. */
  readonly lanes: readonly DueLane[]
  readonly position: DuePosition
  /** Whether the search has not found all lanes yet. */
  readonly rest: boolean
}

export interface LeaseRequest {
  /** The worker's id, as in {@link WorkerAttendance}. */
  readonly worker: string
  /** The lanes to lease, each with the most deliveries to lease. */
  readonly lanes: readonly (DueLane & { readonly room: number })[]
  readonly leaseMs: number
}

/** Which lanes `sequenceAndLease` may lease, each with one delivery. */
export interface HandOverRequest {
  /** Name of the worker, for operators. */
  readonly worker: string
  /** If an event wakes more lanes than this, none of them is leased. */
  readonly lanes: number
  /** Accounts whose lanes are not leased, and hosts whose lanes are not leased. */
  readonly leaveOut: readonly string[]
  readonly leaveOutHosts: readonly string[]
  readonly leaseMs: number
}

/** Whether a lane's deliveries may be sent at this moment, and whether they may contain personal data. */
export interface LaneStanding {
  /**
   * False when the lease is lost, the subscription is disabled, its confirming key (`SubscriptionRecord.confirmedBy`)
   * is revoked or expired, or its pending deliveries were ended since the lease (`skipToNow`, or disabling and enabling
   * the subscription).
   */
  readonly deliverable: boolean
  /** Set when the subscription must be disabled because its confirming key is revoked or expired. */
  readonly hold: Extract<DisabledReason, 'key'> | undefined
  /** Whether personal data may be sent. Never rely on a value older than one second. */
  readonly personalData: boolean
}

export interface LeasedDelivery {
  readonly eventId: string
  /** The event's position in the feed; undefined for a retry. */
  readonly position: number | undefined
  /** Attempts so far. */
  readonly attempts: number
  /**
   * Whether the delivery may have crashed a worker. If so, attempt it alone, and record the attempt before making it.
   */
  readonly suspect: boolean
  /**
   * Whether an earlier attempt was sent without personal data. If so, all later attempts are too, because a body never
   * gains data between attempts.
   */
  readonly redacted: boolean
  /** Opaque key of the event's subject; undefined unless the subscription's `ordering` is `subject`. */
  readonly subject: string | undefined
  /**
   * Whether the delivery has to wait for an earlier event of its subject. If so, do not send it, but settle it as a
   * retry without `delayMs`.
   */
  readonly blocked: boolean
  /** Undefined when retention has removed the event. */
  readonly event: EventText | undefined
  /** The trace in which the event was published; undefined when none was stored. */
  readonly trace: string | undefined
}

export interface LeasedLane {
  readonly lease: LaneLease
  readonly targetUrl: string
  /** The secrets that currently sign, newest first. */
  readonly secrets: readonly SealedSecret[]
  readonly standing: LaneStanding
  /** A position in the feed. Every delivery up to this position has ended or is waiting as a retry. */
  readonly cursor: number
  /**
   * The `cursor` to report in the settlement once every new delivery of this lease has ended or is waiting as a retry.
   */
  readonly through: number
  /** Consecutive failures; `BREAKER_THRESHOLD` of them open the breaker. */
  readonly failures: number
  /**
   * Due retries first, then new deliveries in the order of the feed. Among the retries, those that `DeliveryLog.resend`
   * asked for come first, the oldest request before the others. The others follow in the order in which they became due.
   */
  readonly deliveries: readonly LeasedDelivery[]
}

export type AttemptOutcome = 'delivered' | 'failed' | 'exhausted' | 'gone' | 'expired'

/**
 * One attempt and its outcome. An attempt is at most one request, with one exception: the HTTPS transport sends a
 * request on a reused connection once more, on a new connection, if the first one closes within a second and before any
 * byte of a response. Both requests are then one attempt, with the outcome of the second and the duration of both.
 */
export interface AttemptRecord {
  readonly id: string
  readonly eventId: string
  /** 1 for the first attempt. */
  readonly number: number
  readonly outcome: AttemptOutcome
  /** HTTP status; undefined when there was no response. */
  readonly status: number | undefined
  /**
   * Why there was no response: an `AttemptReason`, or a code that a newer version of Callboard recorded. Contains no
   * address.
   */
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
   * Milliseconds from the settlement until the retry is due, by the store's clock. Undefined for a blocked delivery,
   * which becomes due once it no longer has to wait for an earlier event of its subject.
   */
  readonly delayMs: number | undefined
  readonly suspect: boolean
  readonly redacted: boolean
}

/** A worker's report on a lane that it has leased. The store applies all durations by its own clock. */
export interface LaneSettlement {
  readonly lease: LaneLease
  readonly cursor: number
  readonly attempts: readonly AttemptRecord[]
  /** Deliveries to attempt again; each replaces an existing retry of the same event. */
  readonly retries: readonly RetryRecord[]
  /** Ids of the events whose delivery has ended, successfully or not. */
  readonly ended: readonly string[]
  /**
   * The subjects of all deliveries that ended or are blocked. Listing further subjects does no harm. For each listed
   * subject, the next delivery becomes due if it no longer has to wait for an earlier event.
   */
  readonly subjects: readonly string[]
  /** Consecutive failures of the lane, including those that this settlement reports. */
  readonly failures: number
  readonly succeeded: boolean
  /** How many of the reported attempts failed. */
  readonly failedAttempts: number
  /** Whether the lane counts as slow or failing from now on. */
  readonly slow: boolean
  /** How long an open breaker pauses the lane; 0 while the breaker is closed. */
  readonly pauseMs: number
  readonly disable: DisabledReason | undefined
  /** True keeps the lease, with its epoch and expiry, for requests that are still to be sent; false ends the lease. */
  readonly keep: boolean
}

/** Disables a subscription after at least this many failed attempts, over at least this long, without a success. */
export interface FailingRule {
  readonly attempts: number
  readonly durationMs: number
}

export interface SettleResult {
  /** Leases that were already lost. Nothing was recorded for them. */
  readonly fenced: readonly LaneLease[]
  /** Subscriptions that this call disabled. */
  readonly disabled: readonly (SubscriptionRef & { readonly reason: DisabledReason })[]
}

/** The result of {@link DeliveryStore.sequenceAndLease}. */
export interface SequencedLanes {
  /** How many events were sequenced. */
  readonly sequenced: number
  readonly lanes: readonly LeasedLane[]
  /** Whether lanes that this call did not lease may have work due now. */
  readonly rest: boolean
}

export interface DeliveryBacklog {
  /** How many committed events have no position in the feed yet. A store may stop counting at 10,000. */
  readonly outbox: number
  /** Milliseconds since the oldest event without a position was published; 0 when every event has a position. */
  readonly outboxAgeMs: number
}

/** The outstanding work of all accounts. */
export interface DeliveryGauges extends DeliveryBacklog {
  /** How long the most overdue lane has been waiting for a worker, in milliseconds. */
  readonly laneLagMs: number
  /** Deliveries whose next attempt is scheduled. The count stops at 100,000, because counting more would be slow. */
  readonly retries: number
  /** Disabled subscriptions, by reason. */
  readonly disabled: Readonly<Record<DisabledReason, number>>
  /**
   * Lanes that are paused now, because their targets keep failing. The count stops at 10,000. A lane is not counted
   * while it is probed.
   */
  readonly pausedLanes: number
  /**
   * Accounts with due lanes that wait for their turn, as the worker that sees the most of them reports. Here and below,
   * only workers that attended within `SILENCE_MS` count.
   */
  readonly waitingAccounts: number
  /** Hosts that take fewer requests than are waiting for them. */
  readonly heldBackHosts: number
}

/** A worker's message to the store each time it attends. */
export interface WorkerAttendance {
  /** Unique to this instance: workers with the same name have different ids, and so has a worker after a restart. */
  readonly id: string
  /** The name that operators know the worker by. */
  readonly name: string
  /** The worker's report about its work; undefined if it makes none. The store keeps it as JSON. */
  readonly details: WorkerReport | undefined
}

/** The result of {@link DeliveryStore.attend}. */
export interface Takeover {
  /** Names of the dead workers whose last leases this call ended. */
  readonly takenOver: readonly string[]
}

/** The worker's side of deliveries. */
export interface DeliveryStore {
  /**
   * Gives at most `limit` committed events their positions in the feed, and wakes the lanes of the subscriptions that
   * the events match. Returns how many events were sequenced.
   *
   * Each new position is higher than all earlier positions, so a reader that reads in the order of positions misses no
   * event. The events of one subject get their positions in the order of their sequence. When several callers race, one
   * call sequences the events and the other calls return 0 immediately.
   */
  sequence(limit: number): Promise<number>

  /**
   * Like `sequence`, but can also lease some of the lanes that it woke, if those lanes had no other work. The leases
   * are like those that `lease` returns. A store may always return no lanes, because `due` finds every lane that this
   * method did not lease.
   */
  sequenceAndLease(limit: number, request: HandOverRequest): Promise<SequencedLanes>

  /**
   * Calls `onWork` as soon as the store learns that events may have been published. The call is only a hint, which can
   * be late, spurious or missing, so callers must also poll. Returns a function that stops the calls.
   *
   * A store may prove by the same connection that this worker is alive (see `attend`).
   */
  listen(workerId: string, onWork: () => void): () => void

  /**
   * Records that a worker is alive, and takes over from workers that have died: ends their leases, so that they can no
   * longer settle them, and makes their lanes due. A worker calls it before its first lease, and then every
   * `ATTEND_MS`. When several workers attend at once, one of them takes over each lane.
   *
   * A worker that has not attended for `SILENCE_MS` is dead. Two exceptions:
   * - A store that sees whether a worker's process still exists goes by that instead. It takes over within a second of
   *   the end of the process, and leaves a process that is only stalled alone.
   * - After a restart of the store, every worker has `SILENCE_MS` to attend again.
   *
   * A worker that was taken for dead can attend again; it has only lost its leases. A lease that was taken over counts
   * as one that was not settled. After a restart of the store it does not count, because the restart may have been the
   * cause rather than a delivery.
   */
  attend(worker: WorkerAttendance): Promise<Takeover>

  /**
   * Forgets a worker that has stopped, ends the leases that it still holds, and makes their lanes due. These leases do
   * not count as leases that were not settled, because the worker did not crash.
   */
  leave(workerId: string): Promise<void>

  /**
   * Finds lanes that have work due, and lanes whose lease has expired. Changes nothing, so several workers may find the
   * same lanes.
   *
   * A search for lanes that became due since an earlier one may miss a lane whose change took long to commit. A search
   * for all due lanes finds each of them.
   */
  due(request: DueRequest): Promise<DueLanes>

  /**
   * Leases those of the given lanes that are still due, in the given order. Writes nothing if none of them is.
   *
   * When several workers ask at once, each lane goes to exactly one of them. A lane that is not settled within
   * `leaseMs` can be leased again, with a higher epoch, and the old lease can then no longer be settled. A lease holds
   * only one delivery while the breaker of its lane is open, or after two leases of the lane in a row were not settled.
   *
   * If the `ordering` of a subscription is `subject`, a new delivery is `blocked` while an earlier event of its subject
   * is retrying, is itself blocked, or is part of the same lease. A delivery that was resent by hand after it had ended
   * neither blocks others nor is blocked.
   */
  lease(request: LeaseRequest): Promise<LeasedLane[]>

  /**
   * Reads the current standing of each leased lane, in the order of `leases`. A lane whose lease is lost is not
   * deliverable.
   */
  check(leases: readonly LaneLease[]): Promise<LaneStanding[]>

  /**
   * Records attempts, retries, and the lanes' cursors and health, and ends leases, all in one transaction. A lane is
   * settled only if its lease is not lost. So if two workers have leased the same lane, only the worker with the later
   * lease can settle it.
   *
   * A lease is not lost when its subscription is disabled: the attempts are recorded, and the subscription stays
   * disabled. For a removed subscription, nothing is recorded.
   *
   * If the lane's pending deliveries were ended since the lease (`skipToNow`, or disabling and enabling the
   * subscription), `retries` are not stored: those deliveries stay ended. `pauseMs` does not count either, because the
   * target may have been repaired since the attempts were made.
   */
  settle(settlements: readonly LaneSettlement[], failing: FailingRule): Promise<SettleResult>

  /**
   * Ends all leases, so that their holders can no longer settle them, and makes the lanes of active subscriptions due.
   * Returns how many leases it ended. Call it only when a worker starts and no other worker is running, because
   * only then has every lease been left behind by a dead process.
   */
  releaseLeases(): Promise<number>

  /**
   * Repairs lost wake-ups. A lane that has work, but no time at which it becomes due, becomes due now. So does a
   * blocked delivery if the earlier delivery that it waits for no longer exists. Call this once a minute. Returns how
   * many lanes it woke.
   */
  sweep(): Promise<number>

  backlog(): Promise<DeliveryBacklog>

  /** Reads all gauges at once, for monitoring. Call it at most every few seconds. */
  gauges(): Promise<DeliveryGauges>
}
