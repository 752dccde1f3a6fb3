import { carriesPersonalData, standingSince } from '@callboard/core/engine'
import type { DeliveryStore, LaneSettlement, LaneStanding, LeasedDelivery } from '@callboard/core/store'
import type { Sending } from '../scheduling/scheduler.ts'
import type { AttemptRequest, AttemptResult } from './attempt.ts'
import {
  crashedSettlement,
  forewrittenSettlement,
  type HeldLane,
  heldSettlement,
  type Result,
  type SettlementRules,
  settlementOf,
  unwrittenSettlement,
} from './lane-settlement.ts'
import { requestEndOf } from './request-end.ts'
import type { Settler } from './settler.ts'

/**
 * The maximum age of a lane's standing when a request starts, in milliseconds. The standing says whether the
 * subscription may receive deliveries, and whether they may contain personal data. An older standing is read again from
 * the store, because a change must take effect within one second.
 */
const STANDING_MS = 800
/**
 * How many times to read the standing if every answer is too old when it arrives. After that, the lane is released and
 * nothing is sent.
 */
const ASKS = 3

/** The calls with which a visit tells the scheduler that one of its requests has ended, or that all of them have. */
type Watcher = Pick<Sending, 'ended' | 'sent'>

export interface LaneVisitOptions {
  readonly store: Pick<DeliveryStore, 'check'>
  readonly attempt: (request: AttemptRequest) => Promise<AttemptResult>
  readonly settler: Settler
  readonly rules: SettlementRules
  readonly deadlineMs: number
  readonly leaseMs: number
  /** Aborts when no further request may start. */
  readonly stopping: AbortSignal
  /** Aborts when requests in flight must end. */
  readonly aborting: AbortSignal
  /** The time now, in monotonic milliseconds. */
  readonly elapsed: () => number
  readonly onError: (error: unknown) => void
}

/**
 * Creates the function that sends a lane's leased deliveries in parallel and then settles them. It calls `sending.sent`
 * before it settles, and never rejects.
 */
export function createLaneVisit(options: LaneVisitOptions): (lane: HeldLane, sending?: Watcher) => Promise<void> {
  const { store, attempt, settler, rules, deadlineMs, leaseMs, stopping, aborting, elapsed, onError } = options

  /**
   * Settles a lane once its lease is committed. If that is unknown, does not settle: the lease may not exist, and
   * another worker's lease may have the same epoch. Returns whether the settlement was written.
   */
  const settle = async (lane: HeldLane, settlement: LaneSettlement): Promise<boolean> =>
    (await lane.committed) && settler.settle(settlement)

  const send = async (
    lane: HeldLane,
    deliveries: readonly LeasedDelivery[],
    standing: LaneStanding,
    sending?: Watcher,
  ): Promise<void> => {
    const leaseLeftMs = (): number => lane.askedAt + leaseMs - elapsed()
    const results = await Promise.all(
      deliveries.map(async (delivery): Promise<Result> => {
        const personalData = carriesPersonalData(standing, delivery)
        const result = await attempt({ lane, delivery, personalData, leaseLeftMs, signal: aborting })
        sending?.ended(requestEndOf(result, { failures: lane.failures, endedAt: elapsed() }))
        return { delivery, personalData, result }
      }),
    )
    sending?.sent()
    await settle(lane, settlementOf(lane, results, rules))
  }

  const visit = async (lane: HeldLane, sending?: Watcher): Promise<void> => {
    const sendable = lane.deliveries.filter(({ blocked }) => !blocked)
    const [first] = sendable
    const mayStart = lane.standing.deliverable
    if (mayStart && first?.suspect === true && first.event !== undefined) return visitSuspect(lane, first, sending)
    const standing = mayStart ? await standingNow(lane, lane.askedAt) : lane.standing
    if (standing?.deliverable === true) return send(lane, sendable, standing, sending)
    await settle(lane, heldSettlement(lane, standing?.hold))
  }

  /**
   * Records the attempt of a suspect delivery (one that may have crashed its worker) first, and then sends that
   * delivery alone. The delivery's attempts are therefore used up at some point, even if every attempt crashes the
   * worker.
   */
  const visitSuspect = async (lane: HeldLane, delivery: LeasedDelivery, sending?: Watcher): Promise<void> => {
    const crashed = crashedSettlement(lane, delivery, rules)
    const written = await settle(lane, crashed ?? forewrittenSettlement(lane, delivery, rules))
    if (crashed !== undefined || !written) return
    const standing = await standingNow(lane, Number.NEGATIVE_INFINITY)
    if (standing?.deliverable === true) return send(lane, [delivery], standing, sending)
    await settle(lane, { ...unwrittenSettlement(lane, delivery), disable: standing?.hold })
  }

  /**
   * Returns the lane's standing, which is at most a second old. Returns undefined if no request may start, for example
   * because the worker is stopping or the store does not answer.
   */
  const standingNow = async (lane: HeldLane, knownAt: number): Promise<LaneStanding | undefined> => {
    let standing: LaneStanding | undefined = lane.standing
    try {
      for (let asked = 0, at = knownAt; ; asked++) {
        // A request that outlives the lease could overlap with the next worker's request for the same delivery.
        if (stopping.aborted || elapsed() - lane.askedAt > leaseMs - deadlineMs) return undefined
        if (elapsed() - at < STANDING_MS) break
        if (asked === ASKS) return undefined
        at = elapsed()
        if (!(await lane.committed)) return undefined
        standing = (await store.check([lane.lease]))[0]
      }
    } catch (error) {
      onError(error)
      return undefined
    }
    return standing && standingSince(lane.standing, standing)
  }

  return async (lane, sending) => {
    try {
      await visit(lane, sending)
    } catch (error) {
      // Only a bug in Callboard leads here. The lease then expires, and a worker leases the lane again. The store
      // counts leases that were never settled.
      onError(error)
    }
  }
}
