import { carriesPersonalData, standingSince } from '@callboard/core/engine'
import type { DeliveryStore, LaneStanding, LeasedDelivery } from '@callboard/core/store'
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
import type { Settler } from './settler.ts'

/**
 * A lane's standing says whether its subscription may receive deliveries, and personal data. If it was last read from
 * the store longer ago than this, in milliseconds, it is read again before a request starts, because a change must take
 * effect within one second.
 */
const STANDING_MS = 800
/**
 * How many times to read the standing if it is too old each time it arrives. After that, the lane is released unsent.
 */
const ASKS = 3

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

/** Sends a lane's leased deliveries, all at once, and settles them. Calls `onSent` before settling. Never rejects. */
export function createLaneVisit(options: LaneVisitOptions): (lane: HeldLane, onSent?: () => void) => Promise<void> {
  const { store, attempt, settler, rules, deadlineMs, leaseMs, stopping, aborting, elapsed, onError } = options

  const send = async (
    lane: HeldLane,
    deliveries: readonly LeasedDelivery[],
    standing: LaneStanding,
    onSent?: () => void,
  ): Promise<void> => {
    const results = await Promise.all(
      deliveries.map(async (delivery): Promise<Result> => {
        const personalData = carriesPersonalData(standing, delivery)
        return { delivery, personalData, result: await attempt({ lane, delivery, personalData, signal: aborting }) }
      }),
    )
    onSent?.()
    await settler.settle(settlementOf(lane, results, rules))
  }

  const visit = async (lane: HeldLane, onSent?: () => void): Promise<void> => {
    const sendable = lane.deliveries.filter(({ blocked }) => !blocked)
    const [first] = sendable
    const mayStart = lane.standing.deliverable
    if (mayStart && first?.suspect === true && first.event !== undefined) return visitSuspect(lane, first, onSent)
    const standing = mayStart ? await standingNow(lane, lane.askedAt) : lane.standing
    if (standing?.deliverable === true) return send(lane, sendable, standing, onSent)
    await settler.settle(heldSettlement(lane, standing?.hold))
  }

  /**
   * Records the attempt of a suspect delivery before it sends that delivery alone. The delivery therefore ends at some
   * point, even if every attempt crashes the worker.
   */
  const visitSuspect = async (lane: HeldLane, delivery: LeasedDelivery, onSent?: () => void): Promise<void> => {
    const crashed = crashedSettlement(lane, delivery, rules)
    const written = await settler.settle(crashed ?? forewrittenSettlement(lane, delivery, rules))
    if (crashed !== undefined || !written) return
    const standing = await standingNow(lane, Number.NEGATIVE_INFINITY)
    if (standing?.deliverable === true) return send(lane, [delivery], standing, onSent)
    await settler.settle({ ...unwrittenSettlement(lane, delivery), disable: standing?.hold })
  }

  /**
   * The lane's standing, at most a second old; undefined if no request may start for another reason, such as a worker
   * that is stopping or a store that does not answer.
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
        standing = (await store.check([lane.lease]))[0]
      }
    } catch (error) {
      onError(error)
      return undefined
    }
    return standing && standingSince(lane.standing, standing)
  }

  return async (lane, onSent) => {
    try {
      await visit(lane, onSent)
    } catch (error) {
      // Only a bug in Callboard leads here. The lease expires and the lane is visited again; the store counts leases
      // that were never settled.
      onError(error)
    }
  }
}
