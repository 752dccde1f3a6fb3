import type { DeliveryStore, LeasedLane, LeaseRequest } from '@callboard/core/store'
import { backOff } from './back-off.ts'
import type { HeldLane } from './lane-settlement.ts'
import { createSlots, type Slots } from './slots.ts'
import type { Waker } from './waker.ts'
import type { WorkerSettings } from './worker-options.ts'

const SWEEP_MS = 60_000

export interface LeasingOptions {
  readonly store: Pick<DeliveryStore, 'lease' | 'sweep'>
  /** The worker's name in the lanes that it holds. */
  readonly worker: string
  readonly settings: WorkerSettings
  /** Sends what was leased of a lane, says when that is done, and resolves once it is written down. Never rejects. */
  readonly visit: (lane: HeldLane, onSent: () => void) => Promise<void>
  /** Woken when there may be more to lease. */
  readonly waker: Waker
  readonly stopping: AbortSignal
  /** Monotonic milliseconds. */
  readonly elapsed: () => number
  readonly onError: (error: unknown) => void
}

/** Lanes that one call may lease beside placing an event: few, for whoever places keeps others from it meanwhile. */
const HANDED_OVER_AT_ONCE = 16

export interface Leasing {
  /** Has a call lease lanes of healthy targets for free slots, if there are any, and starts their visits. Rejects when the call does. */
  take(ask: (request: LeaseRequest) => Promise<readonly LeasedLane[]>): Promise<void>
  /** Leases lanes and starts their visits, until the worker stops. Never rejects. */
  run(): Promise<void>
  /** Resolves once no visit is under way. */
  visited(): Promise<void>
  /** Whether the store was reached the last time that it was asked. */
  ok(): boolean
  /** Milliseconds since it was reached. */
  sinceContactMs(): number
  /** Visits that are sending. */
  held(): number
}

/** Keeps the slots filled, those of healthy targets and those of slow ones, and heals what was left behind once a minute. */
export function createLeasing(options: LeasingOptions): Leasing {
  const { store, worker, settings, visit, waker, stopping, elapsed, onError } = options
  const { leaseMs, patienceMs, perSubscription } = settings
  const visits = new Set<Promise<void>>()
  const healthy = createSlots({ slots: settings.lanes, slow: false, patienceMs, onFree: waker.wake })
  let slowLookedAt = Number.NEGATIVE_INFINITY
  const slow = createSlots({
    slots: settings.slowLanes,
    slow: true,
    patienceMs,
    onFree() {
      slowLookedAt = Number.NEGATIVE_INFINITY
      waker.wake()
    },
  })
  let contactAt = elapsed()
  let ok = true
  let sweptAt = elapsed()

  const start = (slots: Slots, lane: LeasedLane, askedAt: number): void => {
    const running: Promise<void> = slots
      .occupy(lane.lease.accountId, (onSent) => visit({ ...lane, askedAt, slow: slots.slow }, onSent))
      .finally(() => visits.delete(running))
    visits.add(running)
  }

  const take = async (
    slots: Slots,
    lanes: number,
    ask: (request: LeaseRequest) => Promise<readonly LeasedLane[]>,
  ): Promise<number> => {
    const askedAt = elapsed()
    slots.keep(lanes)
    try {
      const request = { worker, lanes, perLane: perSubscription, leaseMs, slow: slots.slow, leaveOut: slots.crowding() }
      const leased = await ask(request)
      for (const lane of leased) start(slots, lane, askedAt)
      return leased.length
    } finally {
      slots.keep(-lanes)
    }
  }

  /** Whether there may be more: as many lanes were due as there was room for. */
  const fill = async (slots: Slots): Promise<boolean> => {
    const free = slots.free()
    if (free <= 0 || stopping.aborted) return false
    return (await take(slots, free, (request) => store.lease(request))) === free
  }

  /**
   * Slow and failing targets after the others, and no sooner than `pollMs` after the last look unless one of their slots has become
   * free: beside every look for the others, theirs took a third of a millisecond of each delivery's way on two cores.
   */
  const lookForWork = async (): Promise<boolean> => {
    let isMore = await fill(healthy)
    if (elapsed() - slowLookedAt >= settings.pollMs) {
      slowLookedAt = elapsed()
      if (await fill(slow)) {
        slowLookedAt = Number.NEGATIVE_INFINITY
        isMore = true
      }
    }
    if (elapsed() - sweptAt > SWEEP_MS) {
      sweptAt = elapsed()
      await store.sweep()
    }
    contactAt = elapsed()
    return isMore
  }

  return {
    async take(ask) {
      await take(healthy, stopping.aborted ? 0 : Math.max(0, Math.min(healthy.free(), HANDED_OVER_AT_ONCE)), ask)
    },
    ok: () => ok,
    sinceContactMs: () => elapsed() - contactAt,
    held: () => healthy.held() + slow.held(),
    async visited() {
      while (visits.size > 0) await Promise.all(visits)
    },
    async run() {
      for (let failures = 0; !stopping.aborted; ) {
        try {
          const isMore = await lookForWork()
          failures = 0
          ok = true
          if (!isMore) await waker.sleep(settings.pollMs, stopping)
        } catch (error) {
          ok = false
          failures++
          onError(error)
          await backOff(failures, stopping)
        }
      }
    },
  }
}
