import type { Store } from '@callboard/core/store'
import { countUnattributed, erase, eventsBefore, eventsOfPerson } from '../maintenance/erasing.ts'
import { retain } from '../maintenance/retention.ts'
import { findAnySubscription, type MemoryState } from '../memory-state.ts'

export function createMaintenanceStore(state: MemoryState): Store<unknown>['maintenance'] {
  return {
    async openTransactions() {
      // In this store, each publish is a transaction of its own, so no transaction is open now.
      return { since: '', publishing: [] }
    },

    eventsOfPerson: async (person, current, limit) => eventsOfPerson(state, person, current, limit),
    eventsBefore: async (walk) => eventsBefore(state, walk),
    countUnattributed: async (walk) => countUnattributed(state, walk),
    erase: async (events) => erase(state, events),

    async claimRetentionRound(everyMs) {
      const now = state.now()
      // If the next round is more than `everyMs` away, a caller with a longer interval scheduled it, and this caller may
      // claim it now.
      if (state.retentionAt > now && state.retentionAt <= now + everyMs) return false
      state.retentionAt = now + everyMs
      return true
    },

    retain: async (horizons, limit) => retain(state, horizons, limit),
    expiredRanges: async (ref) => [...(findAnySubscription(state, ref)?.expired ?? [])],
  }
}
