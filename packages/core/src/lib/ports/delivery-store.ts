import type { LearntLimits, WorkerDetails } from '../workers/worker-report.ts'
import type { DeliveryBacklog, DeliveryGauges } from './delivery-gauges.ts'
import type { DueLane, DueLanes, DueRequest } from './due-lane.ts'
import type { FailingRule, LaneSettlement, SettleResult } from './lane-settlement.ts'
import type { LaneLease, LaneStanding, LeasedLane } from './leased-lane.ts'

/** Identifies a call that leases lanes. */
export interface LeaseCall {
  /** The worker's id, as in `WorkerAttendance`. */
  readonly worker: string
  /** The call's number, for `releaseLeases`: a whole number that no other call of this worker has. */
  readonly call: number
}

export interface LeaseRequest extends LeaseCall {
  /** The lanes to lease. `room` is the most deliveries to lease from the lane. */
  readonly lanes: readonly (DueLane & { readonly room: number })[]
  readonly leaseMs: number
}

/** Which lanes `sequence` may lease. It leases one delivery from each of them. */
export interface HandOverRequest extends LeaseCall {
  /** If more lanes than this could be leased, none of them is. */
  readonly lanes: number
  /** Accounts whose lanes must not be leased. */
  readonly leaveOut: readonly string[]
  /** Hosts whose lanes must not be leased. */
  readonly leaveOutHosts: readonly string[]
  readonly leaseMs: number
}

/** The result of `DeliveryStore.sequence`. */
export interface SequenceResult {
  /** How many events were sequenced. */
  readonly sequenced: number
  /** The lanes that this call leased. */
  readonly lanes: readonly LeasedLane[]
  /** Whether lanes that this call did not lease may have work due now. */
  readonly rest: boolean
  /** Whether this call left events for the next call, because it reached its limit or stopped early to lease lanes. */
  readonly more: boolean
}

/** Whose leases `releaseLeases` ends. */
export type ReleaseRequest =
  /** A worker's failed calls. `worker` is the worker's id, as in `WorkerAttendance`. */
  | { readonly of: 'calls'; readonly worker: string; readonly calls: readonly LeaseCall['call'][] }
  /** A worker that has stopped. */
  | { readonly of: 'worker'; readonly worker: string }
  | { readonly of: 'all' }

/** A worker's message to the store each time it attends. */
export interface WorkerAttendance {
  /** Unique to this instance: workers with the same name have different ids, and a restarted worker has a new id. */
  readonly id: string
  /** The name that operators know the worker by. */
  readonly name: string
  /** The worker's report about its work; undefined if it makes none. The store keeps it as JSON. */
  readonly details: WorkerDetails | undefined
}

export interface ListenHooks {
  /** Events may have been published. */
  onPublished(): void
  /** Lanes may have become due, because of something that nobody settled. */
  onDue(): void
  /** Another worker may have started or died, so the worker should attend now. */
  onWorkers(): void
}

export interface Listening {
  /**
   * The milliseconds between two looks for work (`backlog`) of a worker that has none, if the hooks can be relied on to
   * that extent. Undefined if the worker must poll.
   */
  restMs(): number | undefined
  /** Stops the calls. */
  stop(): void
}

/** The result of {@link DeliveryStore.attend}. */
export interface Takeover {
  /** Names of the dead workers that the store has forgotten, because they no longer hold any lease. */
  readonly takenOver: readonly string[]
  /**
   * The limits that other workers have reported: all workers when a worker attends for the first time, and later those
   * that may have died.
   */
  readonly limits: LearntLimits
  /** The store's time during the call, with which the worker compares its own. */
  readonly clock: Date
  /**
   * The milliseconds after which the worker should attend again: `working` if it has held lanes for that long,
   * otherwise `resting`.
   */
  readonly againInMs: { readonly working: number; readonly resting: number }
}

/** The methods with which workers sequence events and send deliveries. */
export interface DeliveryStore {
  /**
   * Sequences at most `limit` committed events, and wakes the lanes of the subscriptions that they match.
   *
   * Within an account, positions only rise, so a reader that follows them misses no event. The events of one subject
   * get their positions in the order of their sequence. A call skips the events that another call is sequencing at that
   * moment, and does not wait for them.
   *
   * With `lease`, the call can also lease some of the lanes that it woke, if those lanes had no other work. The leases
   * are like those of the method `lease`. A store need not lease any lanes, because `due` finds every lane that this
   * call did not lease. A store may sequence fewer events than `limit` in order to lease their lanes earlier.
   */
  sequence(limit: number, lease?: HandOverRequest): Promise<SequenceResult>

  /**
   * Calls these hooks as soon as the store learns of something, until the caller stops it. Each call is only a hint: it
   * can be late, spurious or missing, so callers must also look.
   *
   * A store that listens on a connection may also use it to see whether this worker is alive (see `attend`).
   */
  listenForWork(workerId: string, hooks: ListenHooks): Listening

  /**
   * Records that a worker is alive, and takes over from dead workers: ends their leases and makes their lanes due. A
   * worker calls this before its first lease, and then as often as `againInMs` says. When several workers attend at
   * once, only one of them takes over each lane.
   *
   * A worker that has not attended for `SILENCE_MS` counts as dead, with two exceptions:
   * - A store that can see whether a worker's process still exists takes over within a second of its end, and never
   *   from a process that is only stalled.
   * - After a restart of the store, every worker has `SILENCE_MS` to attend again.
   *
   * If the store's clock was set back by more than `SILENCE_MS` since a worker last attended, the times at which lanes
   * and retries become due are moved back by as much, so that none waits until the clock catches up.
   *
   * A live worker that counted as dead loses only its leases, and can attend again. For `lease`, a lease that was taken
   * over counts as unsettled, because one of its deliveries may have crashed the worker. A lease from before a restart
   * of the store does not count, because the restart may be the reason why it was not settled.
   */
  attend(worker: WorkerAttendance): Promise<Takeover>

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
   * When several workers ask for the same lane, exactly one of them gets it. A lane that is not settled within
   * `leaseMs` can be leased again, and the old lease is then lost. A lease holds only one delivery while the lane's
   * breaker is open, or after two leases of the lane in a row were not settled.
   *
   * If a backfill is running, a lease fills the room that retries and new deliveries leave with events of the backfill.
   * New deliveries leave room for one of them if there is room for two deliveries besides the retries. A lease examines
   * at most `CAPS.backfill` events of the backfill, so it may go through a part of the backfill without sending anything.
   *
   * If the `ordering` of a subscription is `subject`, a new delivery is `waiting` while an earlier event of its subject
   * is retrying, is itself waiting, or is part of the same lease. A delivery that was resent by hand after it had ended,
   * or that belongs to a backfill, neither waits nor makes others wait.
   */
  lease(request: LeaseRequest): Promise<LeasedLane[]>

  /**
   * Ends leases, so that their holders can no longer settle them, and makes the lanes of active subscriptions due.
   * Returns how many leases it ended.
   *
   * - Of calls: the leases that these calls of `lease` and `sequence` made. A worker lists its failed calls. The store
   *   may have made their leases although its answer was lost, and nobody would send those deliveries until the leases
   *   expire. A failed call may also still be running in the store and lease lanes later, so the worker repeats this
   *   until `leaseMs` have passed since the failure. For `lease`, these leases count as unsettled, because their
   *   deliveries may be the reason why no answer arrived.
   * - Of a worker: the leases of a worker that has stopped. The store forgets the worker. For `lease`, these leases do
   *   not count as unsettled, because the worker did not crash.
   * - Of all: every lease. Ask for it only when a worker starts and no other worker is running, because only then does
   *   every lease belong to a dead process.
   */
  releaseLeases(request: ReleaseRequest): Promise<number>

  /**
   * Reads the current standing of each leased lane, in the order of `leases`. A lane whose lease is lost is not
   * deliverable.
   */
  checkLeases(leases: readonly LaneLease[]): Promise<LaneStanding[]>

  /**
   * Records attempts and retries, updates the lanes' cursors and health, and ends leases, all in one transaction. A
   * lane whose lease is lost is not settled. So if two workers have leased the same lane, only the worker with the
   * later lease can settle it.
   *
   * A lease is not lost when its subscription is disabled: the attempts are recorded, and the subscription stays
   * disabled. For a removed subscription, nothing is recorded. If an event was erased or removed since the lease, its
   * attempt is recorded without the response.
   *
   * If the lane's pending deliveries were ended since the lease (`skipToNow`, or disabling and enabling the
   * subscription), `retries` are not stored: those deliveries stay ended. `pauseMs` is ignored too, because the target
   * may have been repaired since the attempts were made.
   */
  settle(settlements: readonly LaneSettlement[], failing: FailingRule): Promise<SettleResult>

  /**
   * Repairs lost wake-ups; call it once a minute. Makes a lane due if it has work but no time at which it becomes due.
   * Makes a waiting delivery due if the delivery that it waits for no longer exists. Returns how many lanes it woke.
   *
   * Also notes how far the feed has got, so that a place in it can be found by time (`readFeed`).
   */
  sweep(): Promise<number>

  /** Reads what waits to be sequenced, and when a worker next has work. Cheap enough for every look for work. */
  backlog(): Promise<DeliveryBacklog>

  /** Reads all gauges at once, for monitoring. Call it at most every few seconds. */
  gauges(): Promise<DeliveryGauges>
}
