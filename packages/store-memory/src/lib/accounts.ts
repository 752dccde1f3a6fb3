import { MODES } from '@callboard/core'
import type { AccountStore } from '@callboard/core/store'
import { createAccountState, keyOfBytes, type MemoryState } from './memory-state.ts'

export function createAccountStore(state: MemoryState): AccountStore {
  return {
    async create({ id, name }) {
      if (state.accounts.has(id) || state.spentAccounts.has(id)) return false
      state.accounts.set(id, createAccountState({ id, name }))
      return true
    },

    async find(accountId) {
      return state.accounts.get(accountId)?.record
    },

    async list({ after, limit }) {
      return [...state.accounts.values()]
        .map(({ record }) => record)
        .filter(({ id }) => orderOf(id) > orderOf(after))
        .sort((a, b) => (orderOf(a.id) < orderOf(b.id) ? -1 : 1))
        .slice(0, limit)
    },

    async ownerOf(id) {
      for (const { record, keys, modes } of state.accounts.values()) {
        const key = keys.get(id)
        const mode =
          key?.record.mode ?? MODES.find((each) => modes[each].subscriptions.has(id) || modes[each].events.has(id))
        if (mode !== undefined) return { accountId: record.id, mode }
      }
      return undefined
    },

    async rename({ id, name }) {
      const account = state.accounts.get(id)
      if (account === undefined) return false
      account.record = { id, name }
      return true
    },

    async delete(accountId) {
      const account = state.accounts.get(accountId)
      if (account === undefined) return state.spentAccounts.has(accountId)
      const { live, test } = account.modes
      for (const { token } of account.keys.values()) state.keysByToken.delete(token)
      for (const mode of [live, test])
        for (const subscription of mode.subscriptions.values()) state.wakeTimes.delete(subscription)
      state.outbox = state.outbox.filter(({ home }) => home !== live && home !== test)
      state.accounts.delete(accountId)
      state.spentAccounts.add(accountId)
      return true
    },
  }
}

/** Returns a sort key that orders ids by their UTF-8 bytes, like the collation "C" of Postgres. */
function orderOf(id: string): string {
  return keyOfBytes(new TextEncoder().encode(id))
}
