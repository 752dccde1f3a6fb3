import { MODES } from '@callboard/core'
import type { NewAccount, ResultOf, Store } from '@callboard/core/store'
import { createAccountState, keyOfBytes, type MemoryState } from '../memory-state.ts'
import { recordEntry } from './audit-store.ts'

export function createAccountStore(state: MemoryState): Store<unknown>['accounts'] {
  return {
    createAccounts: async (accounts) => createAccounts(state, accounts),
    find: async (accountId) => state.accounts.get(accountId)?.record,

    async list({ after, limit }) {
      return [...state.accounts.values()]
        .map(({ record }) => record)
        .filter(({ id }) => orderOf(id) > orderOf(after))
        .sort((a, b) => compareIds(a.id, b.id))
        .slice(0, limit)
    },

    async ownersOf(id) {
      const accounts = [...state.accounts.values()].sort((a, b) => compareIds(a.record.id, b.record.id))
      return accounts.flatMap(({ record, keys, modes }) =>
        MODES.filter(
          (mode) =>
            keys.get(id)?.record.mode === mode || modes[mode].subscriptions.has(id) || modes[mode].events.has(id),
        ).map((mode) => ({ accountId: record.id, mode })),
      )
    },

    async rename({ id, name }, entry) {
      const account = state.accounts.get(id)
      if (account === undefined) return false
      if (account.record.name !== name) recordEntry(state, entry)
      account.record = { id, name }
      return true
    },

    async delete(accountId, entry) {
      const account = state.accounts.get(accountId)
      if (account === undefined) return state.spentAccounts.has(accountId)
      recordEntry(state, entry)
      const { live, test } = account.modes
      for (const { token } of account.keys.values()) state.keysByToken.delete(token)
      for (const mode of [live, test])
        for (const subscription of mode.subscriptions.values()) state.withWork.delete(subscription)
      state.outbox = state.outbox.filter(({ home }) => home !== live && home !== test)
      state.accounts.delete(accountId)
      state.spentAccounts.add(accountId)
      return true
    },
  }
}

function compareIds(a: string, b: string): number {
  return orderOf(a) < orderOf(b) ? -1 : 1
}

/** Implements `AccountStore.createAccounts`. */
export function createAccounts(
  state: MemoryState,
  accounts: readonly NewAccount[],
): ResultOf<'accounts', 'createAccounts'> {
  const deleted = accounts.map(({ id }) => id).filter((id) => state.spentAccounts.has(id))
  const absent = deleted.length > 0 ? [] : accounts.filter(({ id }) => !state.accounts.has(id))
  for (const { id, name, entry } of absent) {
    state.accounts.set(id, createAccountState({ id, name }))
    recordEntry(state, entry)
  }
  return { created: absent.map(({ id }) => id), deleted }
}

/** Returns a sort key that orders ids by their UTF-8 bytes, like the collation "C" of Postgres. */
function orderOf(id: string): string {
  return keyOfBytes(new TextEncoder().encode(id))
}
