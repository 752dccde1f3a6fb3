import {
  ATTEND_MS,
  combineReports,
  type DeliveryStore,
  laneActs,
  SILENCE_MS,
  type Unsequenced,
} from '@callboard/core/store'
import { attendingWorkers } from '../attending-workers.ts'
import { noteFeedTime } from '../feed-times.ts'
import { apply, holderOf, putLane, standingIn } from '../lanes/lanes.ts'
import { dueLanes, lease } from '../lanes/leasing.ts'
import { sequence } from '../lanes/sequencing.ts'
import { settle } from '../lanes/settling.ts'
import { type MemoryState, presentSubscriptions, type SubscriptionState } from '../memory-state.ts'
import { oldestUndelivered } from './health-store.ts'

export function createDeliveryStore(state: MemoryState): DeliveryStore {
  return {
    async sequence(limit) {
      const sequenced = sequence(state, limit)
      return { sequenced, lanes: [], rest: sequenced > 0, more: state.outbox.length > 0 }
    },

    // Does nothing: publishers run in the worker's process, and wake the worker directly.
    listenForWork: () => ({ restMs: () => undefined, stop: () => undefined }),

    due: async (request) => dueLanes(state, request),

    async attend({ id, name, details }) {
      const now = state.now()
      followClock(state)
      const before = state.workers.get(id)
      state.workers.set(id, { name, since: before?.since ?? now, attendedAt: now, details })
      const dead = [...state.workers].filter(([, { attendedAt }]) => attendedAt <= now - SILENCE_MS)
      const learntFrom = before === undefined ? [...state.workers] : dead
      for (const [worker] of dead) {
        state.workers.delete(worker)
        endLeases(state, { crashed: true }, ({ leaseCall }) => leaseCall?.worker === worker)
      }
      return {
        takenOver: dead.map(([, worker]) => worker.name),
        limits: learntFrom.flatMap(([worker, { details }]) => (worker === id ? [] : (details?.limits ?? []))),
        clock: new Date(now),
        againInMs: { working: ATTEND_MS, resting: ATTEND_MS },
      }
    },

    lease: async (request) => lease(state, request),

    async releaseLeases(request) {
      if (request.of === 'all') return endLeases(state, { crashed: true }, () => true)
      const { worker } = request
      if (request.of === 'worker') state.workers.delete(worker)
      return endLeases(state, { crashed: request.of === 'calls' }, ({ leaseCall }) => {
        return leaseCall?.worker === worker && (request.of === 'worker' || request.calls.includes(leaseCall.call))
      })
    },

    async checkLeases(leases) {
      return leases.map((held) => {
        const subscription = holderOf(state, held)
        return subscription === undefined || subscription.lane.skipped?.epoch === held.epoch
          ? { deliverable: false, disable: undefined, personalData: false }
          : standingIn(state, subscription)
      })
    },

    settle: async (settlements, failing) => settle(state, settlements, failing),

    async sweep() {
      let woken = 0
      noteFeedTime(state)
      for (const subscription of activeSubscriptions(state)) {
        const change = laneActs.swept(
          subscription.lane,
          subscription.retries,
          subscription.record.ordering,
          state.now(),
        )
        if (change.lane !== subscription.lane) woken++
        apply(state, subscription, change)
      }
      return woken
    },

    async backlog() {
      const [first] = state.outbox
      let next = Number.POSITIVE_INFINITY
      for (const { lane } of state.withWork) next = Math.min(next, lane.wakeAt ?? next)
      const wait = next === Number.POSITIVE_INFINITY ? undefined : Math.max(0, next - state.now())
      return { ...unsequenced(state), next: first?.stored.id, nextInMs: first === undefined ? wait : 0 }
    },

    gauges: async () => ({ ...unsequenced(state), ...gaugesOf(state) }),
  }
}

/** If the clock was set back since a worker attended, moves the due times of lanes and retries back by as much. */
function followClock(state: MemoryState): void {
  const now = state.now()
  const step = Math.max(0, ...[...state.workers.values()].map(({ attendedAt }) => attendedAt - now))
  if (step <= SILENCE_MS) return
  const moved = (time: number): number => (time > now + SILENCE_MS ? Math.max(time - step, now) : time)
  for (const [id, worker] of state.workers)
    state.workers.set(id, { ...worker, attendedAt: Math.min(worker.attendedAt, now) })
  for (const subscription of presentSubscriptions(state)) {
    const { lane, retries } = subscription
    if (lane.wakeAt !== undefined) putLane(state, subscription, { ...lane, wakeAt: moved(lane.wakeAt) })
    for (const [eventId, retry] of retries)
      if (retry.dueAt !== undefined) retries.set(eventId, { ...retry, dueAt: moved(retry.dueAt) })
  }
}

/** Ends the leases on lanes whose subscription matches, and returns how many leases it ended. */
function endLeases(
  state: MemoryState,
  { crashed }: { readonly crashed: boolean },
  matches: (subscription: SubscriptionState) => boolean,
): number {
  let ended = 0
  for (const subscription of presentSubscriptions(state)) {
    const { lane } = subscription
    const isLeased = lane.state === 'leased' || lane.leasedUntil !== undefined
    if (!isLeased || !matches(subscription)) continue
    putLane(state, subscription, laneActs.takenBack(lane, { crashed, now: state.now() }))
    ended++
  }
  return ended
}

function unsequenced({ outbox, now }: MemoryState): Unsequenced {
  const [oldest] = outbox
  return { outbox: outbox.length, outboxAgeMs: oldest === undefined ? 0 : Math.max(0, now() - oldest.publishedAt) }
}

function gaugesOf(state: MemoryState) {
  const now = state.now()
  const disabled = { gone: 0, failing: 0, key: 0, account: 0, platform: 0 }
  let laneLagMs = 0
  let retries = 0
  let oldest = state.outbox[0]?.publishedAt ?? now
  for (const { lane } of state.withWork)
    if (lane.state !== 'leased') laneLagMs = Math.max(laneLagMs, now - (lane.wakeAt ?? now))
  for (const subscription of presentSubscriptions(state)) {
    const { record } = subscription
    for (const { dueAt } of subscription.retries.values()) if (dueAt !== undefined) retries++
    if (record.state === 'active') oldest = Math.min(oldest, oldestUndelivered(state, subscription) ?? now)
    if (record.disabledReason !== undefined) disabled[record.disabledReason]++
  }
  const { waiting, heldBack, postponed } = combineReports(attendingWorkers(state).map(({ report }) => report))
  return {
    laneLagMs,
    undeliveredMs: Math.max(0, now - oldest),
    retries,
    disabled,
    pausedLanes: countPaused(state),
    waitingAccounts: waiting.accounts,
    heldBackHosts: heldBack.length,
    postponed,
    replica: undefined,
  }
}

/** Counts the paused lanes, except those that are leased to test whether their target works again. */
export function countPaused(state: MemoryState): number {
  return activeSubscriptions(state).filter(({ lane }) => lane.state === 'paused').length
}

function activeSubscriptions(state: MemoryState): SubscriptionState[] {
  return presentSubscriptions(state).filter(({ record }) => record.state === 'active')
}
