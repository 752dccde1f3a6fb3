import { carriesPersonalData } from '@callboard/core/engine'
import type { DeliveryStore, LaneStanding, LeasedDelivery } from '@callboard/core/store'
import type { Sending } from '../scheduling/scheduler.ts'
import type { Attempts } from './attempt.ts'
import type { Obstacle, PostponedLaneRegister } from './postponed-lanes.ts'
import { requestEndOf } from './request-end.ts'
import {
  type HeldLane,
  OPEN,
  type Result,
  type SettlementRules,
  settlementOf,
  unsentSettlement,
} from './settlement-of.ts'
import type { Settler } from './settler.ts'
import { crashedSettlement, forewrittenSettlement, unwrittenSettlement } from './suspect-settlements.ts'
import { createVisitResults, type Unsettled } from './visit-results.ts'

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
  readonly store: Pick<DeliveryStore, 'checkLeases'>
  readonly attempts: Attempts
  readonly postponedLanes: Pick<PostponedLaneRegister, 'postpone'>
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
  const { store, attempts, postponedLanes, settler, rules, deadlineMs, leaseMs, stopping, aborting, elapsed, onError } =
    options

  /**
   * Settles a lane whose attempts have ended. If this worker postponed all that the lane leased, or new deliveries of
   * it, the worker leaves the lane to others for a while: it would find the same deliveries again.
   */
  const conclude = async ({ lane, results, all }: Unsettled): Promise<void> => {
    const settlement = settlementOf(lane, results, rules, all)
    const postponed = results.flatMap(({ delivery, result }) =>
      result.kind === 'postponed' ? { obstacle: result.obstacle, isNew: delivery.position !== undefined } : [],
    )
    const isStuck = settlement.postponeMs !== 0 || postponed.length === all.length
    const onlyRetries = settlement.postponeMs === 0 || !postponed.some(({ isNew }) => isNew)
    if (postponed[0] !== undefined && isStuck) postponedLanes.postpone(lane.lease, postponed[0].obstacle, onlyRetries)
    await settler.settle(settlement)
  }

  /** What this worker cannot send: each such delivery, and every new delivery after the first new one of them. */
  const obstaclesIn = (lane: HeldLane, deliveries: readonly LeasedDelivery[]): Map<LeasedDelivery, Obstacle> => {
    const obstacles = new Map<LeasedDelivery, Obstacle>()
    let end: Obstacle | undefined
    for (const delivery of deliveries) {
      const isNew = delivery.position !== undefined
      const obstacle = (isNew ? end : undefined) ?? attempts.obstacle(lane, delivery)
      if (obstacle === undefined) continue
      obstacles.set(delivery, obstacle)
      if (isNew) end = obstacle
    }
    return obstacles
  }

  const send = async (
    lane: HeldLane,
    deliveries: readonly LeasedDelivery[],
    standing: LaneStanding,
    sending?: Watcher,
  ): Promise<void> => {
    const obstacles = obstaclesIn(lane, deliveries)
    const leaseLeftMs = (): number => lane.askedAt + leaseMs - elapsed()
    const sent = deliveries.map((delivery): Result => {
      const obstacle = obstacles.get(delivery)
      if (obstacle === undefined)
        return { delivery, personalData: carriesPersonalData(standing, delivery), result: OPEN }
      const result = { kind: 'postponed', obstacle, wasSent: false, durationMs: 0 } as const
      return { delivery, personalData: !delivery.redacted, result }
    })
    const results = createVisitResults(lane, sent, { settler, rules })
    await Promise.all(
      sent.map(async ({ delivery, personalData, result: before }): Promise<void> => {
        if (before !== OPEN) return
        const result = await attempts.makeAttempt({ lane, delivery, personalData, leaseLeftMs, signal: aborting })
        sending?.ended(requestEndOf(result, { breakerFailures: lane.breakerFailures, endedAt: elapsed() }))
        results.add({ delivery, personalData, result })
      }),
    )
    sending?.sent()
    const unsettled = await results.unsettled()
    if (unsettled !== undefined) await conclude(unsettled)
  }

  const visit = async (lane: HeldLane, sending?: Watcher): Promise<void> => {
    const sendable = lane.deliveries.filter(({ waiting }) => !waiting)
    const [first] = sendable
    const mayStart = lane.standing.deliverable
    const isSuspect = first?.suspect === true && first.event !== undefined
    if (mayStart && isSuspect && attempts.obstacle(lane, first) === undefined) return visitSuspect(lane, first, sending)
    const standing = mayStart ? await standingNow(lane, lane.askedAt) : lane.standing
    if (standing?.deliverable === true) return send(lane, sendable, standing, sending)
    await settler.settle(unsentSettlement(lane, standing?.disable))
  }

  /**
   * Records the attempt of a suspect delivery (one that may have crashed its worker) first, and then sends that
   * delivery alone. The delivery's attempts are therefore used up at some point, even if every attempt crashes the
   * worker.
   */
  const visitSuspect = async (lane: HeldLane, delivery: LeasedDelivery, sending?: Watcher): Promise<void> => {
    const crashed = crashedSettlement(lane, delivery, rules)
    const written = await settler.settle(crashed ?? forewrittenSettlement(lane, delivery, rules))
    if (crashed !== undefined || !written) return
    const standing = await standingNow(lane, Number.NEGATIVE_INFINITY)
    // The settlement above has stored the delivery as a retry.
    if (standing?.deliverable === true)
      return send({ ...lane, settledThrough: lane.through }, [delivery], standing, sending)
    await settler.settle({ ...unwrittenSettlement(lane, delivery), disable: standing?.disable })
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
        standing = (await store.checkLeases([lane.lease]))[0]
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

/**
 * Combines a lane's standing at the time of its lease with its current standing. Personal data may be sent only if both
 * allow it. If the standing at the time of the lease did not allow it, the events were read without personal data.
 */
function standingSince(leased: LaneStanding, now: LaneStanding): LaneStanding {
  return { ...now, personalData: now.personalData && leased.personalData }
}
