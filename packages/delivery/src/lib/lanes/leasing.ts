import { type DeliveryStore, type ResultOf, targetHost } from '@callboard/core/store'
import type { Reservation, Scheduler, Sending } from '../scheduling/scheduler.ts'
import { backOff } from '../timing/back-off.ts'
import type { Waker } from '../timing/waker.ts'
import type { WorkerSettings } from '../worker/worker-options.ts'
import { createDueSearch, FOUND_AT_ONCE } from './due-search.ts'
import { laneKey } from './lane-key.ts'
import { createLeaseCalls } from './lease-calls.ts'
import type { PostponedLaneRegister } from './postponed-lanes.ts'
import type { HeldLane } from './settlement-of.ts'

const SWEEP_MS = 60_000
/**
 * The scheduler may refuse due lanes for lack of room. Once fewer lanes than this wait for their turn, the worker
 * searches again for the lanes that were refused.
 */
const FEW_WAITING = 500
/**
 * While known lanes wait for their turn and can be leased, searches for other lanes are at least this many milliseconds
 * apart. A search finds most of the waiting lanes again. With a search before each lease, searches took a tenth of the
 * CPU time.
 */
const SEARCH_MS = 50

export interface LeasingOptions {
  readonly store: Pick<DeliveryStore, 'backlog' | 'due' | 'lease' | 'releaseLeases' | 'sequence' | 'sweep'>
  /** The id under which the worker leases lanes. */
  readonly worker: string
  readonly settings: Pick<WorkerSettings, 'leaseMs' | 'patienceMs' | 'lanes'>
  /** The longest pause between two looks for lanes, in milliseconds. */
  readonly pauseMs: () => number
  /** Decides which lanes are leased next. */
  readonly scheduler: Scheduler
  /** Visits a lane: sends its leased deliveries, and resolves once they are settled. Never rejects. */
  readonly visit: (lane: HeldLane, sending: Sending) => Promise<void>
  /** The lanes that this worker leaves to others. */
  readonly postponedLanes: Pick<PostponedLaneRegister, 'isPostponed'>
  /** Pauses between two looks for work. Call `wake` to end the pause when more lanes may have become due. */
  readonly waker: Waker
  readonly stopping: AbortSignal
  /** The time now, in monotonic milliseconds. */
  readonly elapsed: () => number
  readonly onError: (error: unknown) => void
  /** Called when a visit has ended. */
  readonly onVisited: () => void
  /** Called when lanes were released because the calls that leased them had failed. `lanes` is their number. */
  readonly onReleased: (lanes: number) => void
}

export interface Leasing {
  /**
   * Sequences at most `limit` events, and starts the visits to the lanes that the store leased in the same call.
   * Rejects if the call fails.
   */
  sequence(limit: number): Promise<ResultOf<'deliveries', 'sequence'>>
  /**
   * Releases the lanes that were leased by failed calls, then leases lanes once and starts their visits. Returns
   * whether there may be more to do at once. If the store cannot be reached, waits before it returns true. Never
   * rejects.
   */
  look(): Promise<boolean>
  /** Leases lanes and starts their visits, until the worker stops. Never rejects. */
  run(): Promise<void>
  /** Whether no event waits to be sequenced, and every due lane is one that this worker leaves to others. */
  isOnlyHeldDue(): Promise<boolean>
  /** Whether a visit is in progress. */
  isVisiting(): boolean
  /** Resolves once no visit is in progress. */
  visited(): Promise<void>
  /** Whether the last look for work reached the store. */
  ok(): boolean
  /** Milliseconds since a look for work last reached the store. */
  sinceContactMs(): number
}

/**
 * Looks for lanes that are due, and leases and visits those that the scheduler has room for. Once a minute, calls the
 * store's `sweep`, which makes lanes due whose wake-up was lost.
 */
export function createLeasing(options: LeasingOptions): Leasing {
  const { store, worker, settings, pauseMs, scheduler, postponedLanes, visit, waker, stopping, elapsed } = options
  const { onError, onVisited, onReleased } = options
  const { leaseMs, patienceMs } = settings
  const search = createDueSearch(store, elapsed)
  const calls = createLeaseCalls({ store, worker, leaseMs, elapsed, onReleased })
  const visits = new Set<Promise<void>>()
  let leftInStore = false
  let searchedAt = Number.NEGATIVE_INFINITY
  let contactAt = elapsed()
  let ok = true
  let sweptAt = elapsed()

  const start = (lane: Omit<HeldLane, 'slow'>, { lane: { slow }, begin }: Reservation): void => {
    const requests = lane.deliveries.filter(({ waiting }) => !waiting).length
    const sending = begin(requests, elapsed())
    const timer = setTimeout(sending.isLate, patienceMs)
    const watched: Sending = {
      ...sending,
      sent() {
        clearTimeout(timer)
        sending.sent()
        if (scheduler.isWaiting()) waker.wake()
      },
    }
    const running = visit({ ...lane, slow }, watched).finally(() => {
      watched.sent()
      sending.settled()
      visits.delete(running)
      if (leftInStore || scheduler.isWaiting()) waker.wake()
      onVisited()
    })
    visits.add(running)
  }

  /** Leases the lanes whose turn it is. Returns whether there were any. */
  const leaseReserved = async (): Promise<boolean> => {
    const reserved = stopping.aborted ? [] : scheduler.reserve(settings.lanes)
    if (reserved.length === 0) return false
    const askedAt = elapsed()
    const left = new Map(reserved.map((reservation) => [laneKey(reservation.lane), reservation]))
    try {
      const lanes = reserved.map(({ lane, room }) => ({ ...lane, room }))
      for (const lane of await calls.makeCall((call) => store.lease({ worker, call, lanes, leaseMs }))) {
        const reservation = left.get(laneKey(lane.lease))
        if (reservation === undefined) continue
        left.delete(laneKey(lane.lease))
        start({ ...lane, askedAt }, reservation)
      }
    } finally {
      for (const { cancel } of left.values()) cancel()
    }
    return true
  }

  /** Searches for due lanes. Returns whether there may be more of them. */
  const searchForLanes = async (): Promise<boolean> => {
    searchedAt = elapsed()
    if (leftInStore && scheduler.state().waiting < FEW_WAITING) {
      leftInStore = false
      search.restart()
    }
    const { lanes, rest } = await search.next()
    if (!scheduler.offer(lanes.filter((lane) => !postponedLanes.isPostponed(lane)))) leftInStore = true
    return rest
  }

  /** Returns whether there may be more to do at once. */
  const lookForWork = async (): Promise<boolean> => {
    await calls.releaseCalls()
    let isMore = await leaseReserved()
    if (!isMore || !scheduler.isWaiting() || elapsed() - searchedAt >= SEARCH_MS) {
      const rest = await searchForLanes()
      isMore = (await leaseReserved()) || rest || isMore
    }
    if (elapsed() - sweptAt > SWEEP_MS) {
      sweptAt = elapsed()
      await store.sweep()
    }
    contactAt = elapsed()
    return isMore
  }

  let failures = 0
  const look = async (): Promise<boolean> => {
    try {
      const isMore = await lookForWork()
      failures = 0
      ok = true
      return isMore
    } catch (error) {
      ok = false
      failures++
      onError(error)
      await backOff(failures, stopping)
      return true
    }
  }

  return {
    async sequence(limit) {
      const askedAt = elapsed()
      const { lanes, ...leaveOut } = scheduler.handedOver()
      const request = { worker, leaseMs, lanes: stopping.aborted ? 0 : lanes, ...leaveOut }
      try {
        const result = await calls.makeCall((call) => store.sequence(limit, { ...request, call }))
        for (const lane of result.lanes)
          start({ ...lane, askedAt }, scheduler.reserveLeased(lane.lease.accountId, targetHost(lane.targetUrl)))
        return result
      } catch (error) {
        // The next look for work releases the lanes that the call may have leased.
        waker.wake()
        throw error
      }
    },
    ok: () => ok,
    sinceContactMs: () => elapsed() - contactAt,
    async visited() {
      while (visits.size > 0) await Promise.all(visits)
    },
    look,
    async run() {
      while (!stopping.aborted)
        if (!(await look())) await waker.sleep(Math.min(pauseMs(), calls.releaseInMs()), stopping)
    },
    async isOnlyHeldDue() {
      if ((await store.backlog()).next !== undefined) return false
      let found: ResultOf<'deliveries', 'due'> | undefined
      do {
        found = await store.due({ limit: FOUND_AT_ONCE, after: found?.place })
        if (!found.lanes.every((lane) => postponedLanes.isPostponed(lane))) return false
      } while (found.rest)
      return true
    },
    isVisiting: () => visits.size > 0,
  }
}
