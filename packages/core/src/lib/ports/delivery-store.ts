import type { WorkerReport } from '../deliveries/worker-report.ts'
import type { DeliveryBacklog, DeliveryGauges, UnsequencedEvent } from './delivery-gauges.ts'
import type { DueLane, DueLanes, DueRequest } from './due-lane.ts'
import type { FailingRule, LaneSettlement, SettleResult } from './lane-settlement.ts'
import type { LaneLease, LaneStanding, LeasedLane } from './leased-lane.ts'

/** Identifies a call that leases lanes. */
export interface LeaseCall {
  /** The worker's id, as in `WorkerAttendance`. */
  readonly worker: string
  /** The call's number, for `releaseCalls`: a whole number that no other call of this worker has. */
  readonly call: number
}

export interface LeaseRequest extends LeaseCall {
  /** The lanes to lease. `room` is the most deliveries to lease from the lane. */
  readonly lanes: readonly (DueLane & { readonly room: number })[]
  readonly leaseMs: number
}

/** Which lanes `sequenceAndLease` may lease. It leases one delivery from each of them. */
export interface HandOverRequest extends LeaseCall {
  /** If more lanes than this could be leased, none of them is. */
  readonly lanes: number
  /** Accounts whose lanes must not be leased. */
  readonly leaveOut: readonly string[]
  /** Hosts whose lanes must not be leased. */
  readonly leaveOutHosts: readonly string[]
  readonly leaseMs: number
}

/** The result of `DeliveryStore.sequenceAndLease`. */
export interface SequencedLanes {
  /** How many events were sequenced. */
  readonly sequenced: number
  readonly lanes: readonly LeasedLane[]
  /** Whether lanes that this call did not lease may have work due now. */
  readonly rest: boolean
  /** Whether this call left events for the next call, because it reached its limit or stopped early to lease lanes. */
  readonly more: boolean
}

/** The calls whose leases `releaseCalls` ends. */
export interface ReleaseRequest {
  /** The worker's id, as in `WorkerAttendance`. */
  readonly worker: string
  readonly calls: readonly LeaseCall['call'][]
}

/** A worker's message to the store each time it attends. */
export interface WorkerAttendance {
  /** Unique to this instance: workers with the same name have different ids, and a restarted worker has a new id. */
  readonly id: string
  /** The name that operators know the worker by. */
  readonly name: string
  /** The worker's report about its work; undefined if it makes none. The store keeps it as JSON. */
  readonly details: WorkerReport | undefined
}

/** The result of {@link DeliveryStore.attend}. */
export interface Takeover {
  /** Names of the dead workers that the store has forgotten, because they no longer hold any lease. */
  readonly takenOver: readonly string[]
}

/** The methods with which workers sequence events and send deliveries. */
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
   * are like those that `lease` returns. A store need not lease any lanes, because `due` finds every lane that this
   * method did not lease. A store may sequence fewer events than `limit` in order to lease their lanes earlier.
   */
  sequenceAndLease(limit: number, request: HandOverRequest): Promise<SequencedLanes>

  /**
   * Calls `onWork` as soon as the store learns that events may have been published. The call is only a hint, which can
   * be late, spurious or missing, so callers must also poll. Returns a function that stops the calls.
   *
   * A store may use the same connection to check that this worker is alive (see `attend`).
   */
  listen(workerId: string, onWork: () => void): () => void

  /**
   * Records that a worker is alive, and takes over from workers that have died: ends their leases, so that they can no
   * longer settle them, and makes their lanes due. A worker calls this before its first lease, and then every
   * `ATTEND_MS`. Only one worker takes over each lane, even when several attend at once.
   *
   * A worker that has not attended for `SILENCE_MS` counts as dead, with two exceptions:
   * - A store may be able to see whether a worker's process still exists. Such a store takes over within a second of
   *   the end of the process, and does not take over from a process that is only stalled.
   * - After a restart of the store, every worker has `SILENCE_MS` to attend again.
   *
   * A live worker that counted as dead can attend again; it has lost nothing but its leases. For `lease`, a lease
   * that was taken over counts as unsettled, except after a restart of the store. In that case the restart, not a
   * delivery, may be the reason why the lease was not settled.
   */
  attend(worker: WorkerAttendance): Promise<Takeover>

  /**
   * Forgets a worker that has stopped, ends the leases that it still holds, and makes their lanes due. The worker did
   * not crash, so for `lease`, these leases do not count as unsettled.
   */
  leave(workerId: string): Promise<void>

  /**
   * Finds lanes that have work due, and lanes whose lease has expired. Changes nothing, so several workers may find the
   * same lanes.
   *
   * A search that continues from an earlier one may miss a lane if the transaction that made the lane due committed
   * late. A search for all due lanes misses none.
   */
  due(request: DueRequest): Promise<DueLanes>

  /**
   * Leases those of the given lanes that are still due, and returns them in the given order. Writes nothing if none of
   * them is due.
   *
   * When several workers call this at the same time, each lane goes to exactly one of them. A lane that is not settled
   * within `leaseMs` can be leased again, with a higher epoch, and the old lease can then no longer be settled. A lease
   * holds only one delivery while the breaker of its lane is open, or after two leases of the lane in a row were not
   * settled.
   *
   * If the `ordering` of a subscription is `subject`, a new delivery is `blocked` while an earlier event of its subject
   * is retrying, is itself blocked, or is part of the same lease. A delivery that was resent by hand after it had ended
   * neither blocks others nor is blocked.
   */
  lease(request: LeaseRequest): Promise<LeasedLane[]>

  /**
   * Ends the leases that certain calls of `lease` and `sequenceAndLease` made, so that these leases can no longer be
   * settled, and makes their lanes due. `request.calls` lists the calls; leases of all other calls stay. Returns how
   * many leases it ended.
   *
   * A worker lists the calls that failed, because the store may have made their leases although its answer did not
   * arrive. Without this method, nobody would send the deliveries of these leases until the leases expire. A failed
   * call may also still be running in the store and lease lanes later. So the worker repeats `releaseCalls` for a
   * failed call until `leaseMs` have passed since the failure.
   *
   * For `lease`, a lease that this method ended counts as unsettled, because its deliveries may be the reason why no
   * answer arrived.
   */
  releaseCalls(request: ReleaseRequest): Promise<number>

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
   * disabled. For a removed subscription, nothing is recorded. If an event was erased or removed since the lease, the
   * attempt is recorded without its response.
   *
   * If the lane's pending deliveries were ended since the lease (`skipToNow`, or disabling and enabling the
   * subscription), `retries` are not stored: those deliveries stay ended. `pauseMs` is ignored too, because the target
   * may have been repaired since the attempts were made.
   */
  settle(settlements: readonly LaneSettlement[], failing: FailingRule): Promise<SettleResult>

  /**
   * Ends all leases, so that their holders can no longer settle them, and makes the lanes of active subscriptions due.
   * Returns how many leases it ended. Call it only when a worker starts and no other worker is running, because only
   * then does every lease belong to a dead process.
   */
  releaseLeases(): Promise<number>

  /**
   * Repairs lost wake-ups. A lane that has work, but no time at which it becomes due, becomes due now. So does a
   * blocked delivery if the earlier delivery that it waits for no longer exists. Call this once a minute. Returns how
   * many lanes it woke.
   */
  sweep(): Promise<number>

  /**
   * Milliseconds until a worker next has work, by the store's clock: 0 if an event has no position yet or a lane is
   * due; otherwise the time until the first lane becomes due or the first lease expires. Undefined if no lane has work.
   * Changes nothing.
   */
  untilNextWork(): Promise<number | undefined>

  backlog(): Promise<DeliveryBacklog>

  /**
   * Returns the event that is first in line for a position in the feed; undefined if every committed event has one.
   */
  nextUnsequenced(): Promise<UnsequencedEvent | undefined>

  /** Reads all gauges at once, for monitoring. Call it at most every few seconds. */
  gauges(): Promise<DeliveryGauges>
}
