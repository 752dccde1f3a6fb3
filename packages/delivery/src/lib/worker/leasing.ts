import type { DeliveryStore, LeasedLane, LeaseRequest } from '@callboard/core/store'
import { backOff } from './back-off.ts'
import type { HeldLane } from './lane-settlement.ts'
import { createSlots, type Slots } from './slots.ts'
import type { Waker } from './waker.ts'
import type { WorkerSettings } from './worker-options.ts'

const SWEEP_MS = 60_000

export interface LeasingOptions {
  readonly store: Pick<DeliveryStore, 'lease' | 'sweep'>
  /** The worker's name in the lanes that it leases. */
  readonly worker: string
  readonly settings: WorkerSettings
  /** Sends a lane's leased deliveries, calls `onSent`, and resolves once they are settled. Never rejects. */
  readonly visit: (lane: HeldLane, onSent: () => void) => Promise<void>
  /** The pause between looks for work. It is ended when more lanes may have become due. */
  readonly waker: Waker
  readonly stopping: AbortSignal
  /** The time now, in monotonic milliseconds. */
  readonly elapsed: () => number
  readonly onError: (error: unknown) => void
}

/**
 * The maximum number of lanes to lease in a call that also sequences. It is low, because no other worker can sequence
 * during that call.
 */
const HANDED_OVER_AT_ONCE = 16

export interface Leasing {
  /**
   * Calls `ask` to lease lanes of healthy targets for the free slots, and starts their visits. Rejects if `ask`
   * rejects.
   */
  take(ask: (request: LeaseRequest) => Promise<readonly LeasedLane[]>): Promise<void>
  /** Leases lanes and starts their visits, until the worker stops. Never rejects. */
  run(): Promise<void>
  /** Resolves once no visit is in progress. */
  visited(): Promise<void>
  /** Whether the last look for work reached the store. */
  ok(): boolean
  /** Milliseconds since a look for work last reached the store. */
  sinceContactMs(): number
  /** How many visits are sending. */
  held(): number
}

/**
 * Keeps the slots for healthy and for slow targets filled with lanes. Once a minute, lets the store find lanes that
 * have work but were never woken.
 */
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

  /** Fills the free slots. Returns true if it filled every one of them; more lanes may then be due. */
  const fill = async (slots: Slots): Promise<boolean> => {
    const free = slots.free()
    if (free <= 0 || stopping.aborted) return false
    return (await take(slots, free, (request) => store.lease(request))) === free
  }

  /**
   * Leases lanes with healthy targets first. Leases lanes with slow and failing targets at most once per `pollMs`,
   * unless a slot for such lanes has become free. Asking the store for them every time delayed every delivery by a
   * third of a millisecond on two cores.
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
