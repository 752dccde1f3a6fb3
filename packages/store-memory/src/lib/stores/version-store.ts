import type { SubscriptionRecord } from '@callboard/core'
import type { Store, SubscriptionRef } from '@callboard/core/store'
import { isValidKey } from '@callboard/core/store'
import { homesOf, type MemoryState, presentSubscriptions } from '../memory-state.ts'
import { recordEntry } from './audit-store.ts'

export function createVersionStore(state: MemoryState): Store<unknown>['versions'] {
  const subscriptions = () => presentSubscriptions(state)
  const keys = () => [...state.accounts.values()].flatMap((account) => [...account.keys.values()])
  const counts = ({ record }: ReturnType<typeof keys>[number]): boolean =>
    record.successorId === undefined && isValidKey(record, state.now())

  return {
    async pinned() {
      const found = new Map<string, { subscriptions: number; keys: number }>()
      const at = (version: string) => {
        const counted = found.get(version) ?? { subscriptions: 0, keys: 0 }
        found.set(version, counted)
        return counted
      }
      for (const { record } of subscriptions()) at(record.apiVersion).subscriptions++
      for (const key of keys().filter(counts)) at(key.record.apiVersion).keys++
      return newestFirst([...found].map(([version, counted]) => ({ version, ...counted })))
    },

    async eventsOutside(versions, limit) {
      const found = new Map<string, number>()
      for (const { content } of homesOf(state).flatMap(({ events }) => [...events.values()])) {
        const version = content.body.split('"')[11] ?? ''
        const counted = found.get(version) ?? 0
        if (!versions.includes(version) && counted < limit) found.set(version, counted + 1)
      }
      return newestFirst([...found].map(([version, events]) => ({ version, events })))
    },

    async subscriptionsIn(version, after, limit) {
      return subscriptions()
        .map(({ record }) => record)
        .filter((record) => record.apiVersion === version)
        .sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
        .filter((record) => after === undefined || placeOf(record) > placeOf(after))
        .slice(0, limit)
    },

    async moveVersion(from, to, entry) {
      const moved = { subscriptions: 0, keys: 0 }
      for (const subscription of subscriptions().filter(({ record }) => record.apiVersion === from)) {
        subscription.record = { ...subscription.record, apiVersion: to }
        moved.subscriptions++
      }
      for (const key of keys().filter(({ record }) => record.apiVersion === from)) {
        if (counts(key)) moved.keys++
        key.record = { ...key.record, apiVersion: to }
      }
      if (moved.subscriptions + moved.keys > 0) recordEntry(state, entry, moved)
      return moved
    },
  }
}

function placeOf({ accountId, mode, id }: SubscriptionRef | SubscriptionRecord): string {
  return JSON.stringify([accountId, mode, id])
}

function newestFirst<Counted extends { readonly version: string }>(counted: Counted[]): Counted[] {
  return counted.sort((a, b) => (a.version < b.version ? 1 : -1))
}
