import type { SignatureFormat } from '../subscriptions/signature-formats.ts'
import type { DisabledReason } from '../subscriptions/who-may-enable.ts'
import type { EventText } from './stored-event.ts'
import type { SealedSecret, SubscriptionRef } from './subscription-record.ts'

/** A worker's time-limited right to send the deliveries of a lane, which is the queue of one subscription. */
export interface LaneLease extends SubscriptionRef {
  /**
   * The lane's epoch when it was leased, a fencing token: the lease is lost as soon as its lane has a higher epoch or
   * is deleted. Age alone does not end a lease. But once a lease is older than `leaseMs`, another worker can lease the
   * lane, which raises the epoch.
   *
   * The epoch rises whenever
   * - the lane is leased, by `lease` or `sequence`;
   * - `releaseLeases` or `attend` takes the lane back;
   * - the subscription gets a new target;
   * - a worker settles a lane whose subscription was disabled meanwhile;
   * - retention ends a delivery that may be part of a lease older than `leaseMs`;
   * - a disabled subscription is enabled. Exception: a worker keeps a lease that is no older than `leaseMs` and was
   *   made before the subscription was disabled.
   *
   * Removing the subscription deletes the lane. A store may also raise the epoch while no lease is held. Epochs only
   * rise, and their values have no other meaning.
   */
  readonly epoch: number
  /** The id by which `due` names the lane, if that is not the subscription's `id`. */
  readonly laneId?: string | undefined
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
  readonly disable: Extract<DisabledReason, 'key'> | undefined
  /** Whether personal data may be sent. Never rely on a value older than one second. */
  readonly personalData: boolean
}

export interface LeasedDelivery {
  readonly eventId: string
  /** The event's position in the feed; undefined for a retry, and for an event of a backfill. */
  readonly position: number | undefined
  /** Whether a backfill sends the delivery for the first time; false by default. */
  readonly backfilled?: boolean | undefined
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
  readonly waiting: boolean
  /** Undefined when retention has removed the event. */
  readonly event: EventText | undefined
  /** The trace in which the event was published; undefined when none was stored. */
  readonly trace: string | undefined
}

export interface LeasedLane {
  readonly lease: LaneLease
  readonly targetUrl: string
  /** The format version that the subscription is pinned to. */
  readonly apiVersion: string
  /** The secrets that currently sign, newest first. */
  readonly secrets: readonly SealedSecret[]
  /** How deliveries are signed; undefined for `['standard']`. */
  readonly signatures?: readonly SignatureFormat[] | undefined
  readonly standing: LaneStanding
  /** A position in the feed. Every delivery up to this position has ended or is waiting as a retry. */
  readonly settledThrough: number
  /**
   * The `settledThrough` to report in the settlement once every new delivery of this lease has ended or is waiting as a
   * retry.
   */
  readonly through: number
  /**
   * The part of the lane's backfill that this lease goes through: the positions (`after`, `through`]. Undefined if it
   * goes through none.
   */
  readonly backfill?: { readonly after: number; readonly through: number } | undefined
  /** Consecutive failures; `BREAKER_THRESHOLD` of them open the breaker. */
  readonly breakerFailures: number
  /**
   * Due retries first, then new deliveries in the order of the feed, then backfilled ones in the order of the feed. Among the retries, those that `DeliveryLog.resend`
   * made due come first, in the order of the calls. The others follow in the order in which they became due.
   */
  readonly deliveries: readonly LeasedDelivery[]
}
