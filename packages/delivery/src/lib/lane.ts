import type { DeliveryStore, LeasedDelivery, LeasedLane } from '@callboard/core'
import { attemptId, type Tried, type TryRequest } from './attempt.ts'
import {
  forewrittenSettlement,
  heldSettlement,
  type Result,
  type SettlementRules,
  settlementOf,
} from './lane-settlement.ts'
import type { Settler } from './settler.ts'

/** A standing older than this is asked for anew before a request starts (delivery rule 9: one second). */
const STANDING_MS = 800

export interface LaneVisitOptions {
  readonly store: DeliveryStore
  readonly attempt: (request: TryRequest) => Promise<Tried>
  readonly settler: Settler
  readonly rules: SettlementRules
  readonly signal: AbortSignal
  /** Monotonic milliseconds. */
  readonly elapsed: () => number
  readonly onError: (error: unknown) => void
}

/** Sends what was leased of one lane, all at once, and settles it. `askedAt`: when the lease was asked for. */
export function createLaneVisit(options: LaneVisitOptions): (lane: LeasedLane, askedAt: number) => Promise<void> {
  const { store, attempt, settler, rules, signal, elapsed, onError } = options

  const visit = async (lane: LeasedLane, askedAt: number): Promise<void> => {
    const { deliverable, hold } = lane.standing
    if (!deliverable) return settler.settle(heldSettlement(lane, hold))
    const [first] = lane.deliveries
    if (first?.suspect === true && first.event !== undefined) return visitSuspect(lane, first)
    const standing = await freshStanding(lane, askedAt)
    if (!standing.deliverable) return settler.settle(heldSettlement(lane, standing.hold))
    const results = await Promise.all(
      lane.deliveries.map(
        async (delivery): Promise<Result> => ({
          delivery,
          tried: await attempt({ lane, delivery, personalData: standing.personalData, signal }),
        }),
      ),
    )
    return settler.settle(settlementOf(lane, results, rules))
  }

  /** Alone, with its try written down before it is made: whatever it does to this process, it ends (delivery rule 4). */
  const visitSuspect = async (lane: LeasedLane, delivery: LeasedDelivery): Promise<void> => {
    const forewritten = forewrittenSettlement(lane, delivery, rules)
    if (forewritten === undefined) {
      const attempts = [
        {
          id: attemptId(),
          eventId: delivery.eventId,
          number: delivery.tries + 1,
          outcome: 'exhausted' as const,
          status: undefined,
          reason: 'crashed',
          durationMs: 0,
          response: undefined,
        },
      ]
      return settler.settle({
        ...heldSettlement(lane, undefined),
        cursor: lane.through,
        attempts,
        ended: [delivery.eventId],
      })
    }
    await settler.settle(forewritten)
    const standing = await freshStanding(lane, Number.NEGATIVE_INFINITY)
    if (!standing.deliverable) return settler.settle({ ...heldSettlement(lane, standing.hold), cursor: lane.through })
    const tried = await attempt({ lane, delivery, personalData: standing.personalData, signal })
    return settler.settle(settlementOf(lane, [{ delivery, tried }], rules))
  }

  const freshStanding = async (lane: LeasedLane, askedAt: number): Promise<LeasedLane['standing']> => {
    if (elapsed() - askedAt < STANDING_MS) return lane.standing
    const [standing] = await store.check([lane.lease])
    if (standing === undefined) return { deliverable: false, hold: undefined, personalData: false }
    // What was leased without personal data stays without it.
    return { ...standing, personalData: standing.personalData && lane.standing.personalData }
  }

  return async (lane, askedAt) => {
    try {
      await visit(lane, askedAt)
    } catch (error) {
      // The lease runs out and the lane is visited again; claims without a word are counted.
      onError(error)
    }
  }
}
