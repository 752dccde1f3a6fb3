import type { DisabledReason } from '../subscriptions/who-may-enable.ts'
import type { PostponedLanes } from '../workers/worker-report.ts'

/** The committed events that have no position in the feed yet. */
export interface Unsequenced {
  /** How many committed events have no position in the feed yet. A store may stop counting at 10,000. */
  readonly outbox: number
  /** Milliseconds since the oldest event without a position was published; 0 when every event has a position. */
  readonly outboxAgeMs: number
}

export interface DeliveryBacklog extends Unsequenced {
  /** The event that will be sequenced next; undefined if none is waiting. */
  readonly next: string | undefined
  /**
   * Milliseconds until a worker next has work, by the store's clock: 0 if an event has no position yet or a lane is
   * due; otherwise the time until the first lane becomes due or the first lease expires. Undefined if no lane has work.
   */
  readonly nextInMs: number | undefined
}

/** The outstanding work of all accounts. */
export interface DeliveryGauges extends Unsequenced {
  /** How long the most overdue lane has been waiting for a worker, in milliseconds. */
  readonly laneLagMs: number
  /**
   * Milliseconds since the publication of the oldest event that has no position yet, or has a pending or retrying
   * delivery; 0 when there is no such event. A store may look at only the 20 most overdue lanes, 20 leased lanes, 20
   * paused lanes, and 100,000 retries.
   */
  readonly undeliveredMs: number
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
   * How many accounts have due lanes that wait for their turn: the highest number that a worker reported. Like
   * `heldBackHosts`, uses only the reports of workers that attend (see `AttendingWorker`).
   */
  readonly waitingAccounts: number
  /** How many hosts have due lanes that wait because workers limit the requests to each host. */
  readonly heldBackHosts: number
  /** What workers cannot send, by cause: the highest number of lanes that a worker reported. */
  readonly postponed: readonly PostponedLanes[]
  /** The replica from which this process reads pages of events and deliveries; undefined if there is none. */
  readonly replica: ReplicaGauges | undefined
}

export interface ReplicaGauges {
  /** How far the replica is behind, in milliseconds; undefined if it does not answer or replicates another store. */
  readonly lagMs: number | undefined
  /** Whether pages are read from the replica now. Otherwise they are read from the primary. */
  readonly usable: boolean
}
