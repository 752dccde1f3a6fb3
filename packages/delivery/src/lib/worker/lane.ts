import { carriesPersonalData, standingSince } from '@callboard/core/engine'
import type { DeliveryStore, LaneStanding, LeasedDelivery } from '@callboard/core/store'
import type { Tried, TryRequest } from './attempt.ts'
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

/** A standing older than this is asked for anew before a request starts (delivery rule 9: one second). */
const STANDING_MS = 800
/** A store whose answers are too old when they come is asked so often, then the lane is given back. */
const ASKS = 3

export interface LaneVisitOptions {
  readonly store: Pick<DeliveryStore, 'check'>
  readonly attempt: (request: TryRequest) => Promise<Tried>
  readonly settler: Settler
  readonly rules: SettlementRules
  readonly deadlineMs: number
  readonly leaseMs: number
  /** Nothing more is to start. */
  readonly stopping: AbortSignal
  /** What is under way is to end. */
  readonly aborting: AbortSignal
  /** Monotonic milliseconds. */
  readonly elapsed: () => number
  readonly onError: (error: unknown) => void
}

/** Sends what was leased of one lane, all at once, and settles it. `onSent`: nothing is left but to write it down. Never rejects. */
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
        return { delivery, personalData, tried: await attempt({ lane, delivery, personalData, signal: aborting }) }
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

  /** Alone, with its try written down before it is made: whatever it does to this process, it ends (delivery rule 4). */
  const visitSuspect = async (lane: HeldLane, delivery: LeasedDelivery, onSent?: () => void): Promise<void> => {
    const crashed = crashedSettlement(lane, delivery, rules)
    const written = await settler.settle(crashed ?? forewrittenSettlement(lane, delivery, rules))
    if (crashed !== undefined || !written) return
    const standing = await standingNow(lane, Number.NEGATIVE_INFINITY)
    if (standing?.deliverable === true) return send(lane, [delivery], standing, onSent)
    await settler.settle({ ...unwrittenSettlement(lane, delivery), disable: standing?.hold })
  }

  /** How the lane stands, at most a second ago; undefined when nothing of it can start now, for no fault of its own. */
  const standingNow = async (lane: HeldLane, knownAt: number): Promise<LaneStanding | undefined> => {
    let standing: LaneStanding | undefined = lane.standing
    try {
      for (let asked = 0, at = knownAt; ; asked++) {
        // A request that could outlive the lease would meet the same one of the next worker.
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
      // A fault of our own. The lease runs out and the lane is visited again; claims without a word are counted.
      onError(error)
    }
  }
}
