import type { DeliveryBacklog, DeliveryGauges, DeliveryStore } from '@callboard/core/store'
import { fence, holderOf, nextWork, standingIn, wakeAt } from './lanes.ts'
import { lease } from './leasing.ts'
import type { MemoryState, SubscriptionState } from './memory-state.ts'
import { sequence } from './sequencing.ts'
import { settle } from './settling.ts'
import { freeSubjects, subjectsIn } from './subject-order.ts'

export function createDeliveryStore(state: MemoryState): DeliveryStore {
  return {
    async sequence(limit) {
      return sequence(state, limit)
    },

    async sequenceAndLease(limit) {
      const sequenced = sequence(state, limit)
      return { sequenced, lanes: [], rest: sequenced > 0 }
    },

    // Nothing to listen for: publishers run in the worker's process, and wake the worker directly.
    listen: () => () => undefined,

    async lease(request) {
      return lease(state, request)
    },

    async check(leases) {
      return leases.map((held) => {
        const subscription = holderOf(state, held)
        return subscription === undefined
          ? { deliverable: false, hold: undefined, personalData: false }
          : standingIn(state, subscription)
      })
    },

    async settle(settlements, failing) {
      return settle(state, settlements, failing)
    },

    async releaseLeases() {
      let released = 0
      for (const subscription of activeSubscriptions(state)) {
        if (!subscription.lane.leased) continue
        fence(subscription.lane)
        wakeAt(state, subscription, state.now())
        released++
      }
      return released
    },

    async sweep() {
      let woken = 0
      for (const subscription of activeSubscriptions(state)) {
        const time = state.wakeTimes.has(subscription) ? undefined : nextWork(subscription.lane, state.now())
        if (time !== undefined) wakeAt(state, subscription, time)
        const freed = freeSubjects(state, subscription, subjectsIn(subscription.lane))
        if (time !== undefined || freed) woken++
      }
      return woken
    },

    async backlog() {
      return backlogOf(state)
    },

    async gauges() {
      return { ...backlogOf(state), ...gaugesOf(state) }
    },
  }
}

function backlogOf({ outbox, now }: MemoryState): DeliveryBacklog {
  const [oldest] = outbox
  return { outbox: outbox.length, outboxAgeMs: oldest === undefined ? 0 : now() - oldest.publishedAt }
}

function gaugesOf(state: MemoryState): Omit<DeliveryGauges, keyof DeliveryBacklog> {
  const now = state.now()
  const disabled = { gone: 0, failing: 0, key: 0, account: 0, platform: 0 }
  let laneLagMs = 0
  let retries = 0
  for (const [{ lane }, time] of state.wakeTimes) if (!lane.leased) laneLagMs = Math.max(laneLagMs, now - time)
  for (const { record, lane } of presentSubscriptions(state)) {
    for (const { dueAt } of lane.retries.values()) if (dueAt !== undefined) retries++
    if (record.disabledReason !== undefined) disabled[record.disabledReason]++
  }
  return { laneLagMs, retries, disabled }
}

function* activeSubscriptions(state: MemoryState): Iterable<SubscriptionState> {
  for (const subscription of presentSubscriptions(state)) if (subscription.record.state === 'active') yield subscription
}

function* presentSubscriptions({ accounts }: MemoryState): Iterable<SubscriptionState> {
  for (const { modes } of accounts.values()) {
    for (const { subscriptions } of [modes.live, modes.test]) {
      for (const subscription of subscriptions.values()) if (!subscription.removed) yield subscription
    }
  }
}
