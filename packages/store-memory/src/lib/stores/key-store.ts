import type { KeyRecord, SubscriptionRecord } from '@callboard/core'
import type { KeyPlace, Store } from '@callboard/core/store'
import { isValidKey } from '@callboard/core/store'
import { disable } from '../lanes/lanes.ts'
import {
  type AccountState,
  type KeyState,
  keyOfBytes,
  type MemoryState,
  type SubscriptionState,
} from '../memory-state.ts'
import { recordEntry } from './audit-store.ts'

export function createKeyStore(state: MemoryState): Store<unknown>['keys'] {
  const add = (account: AccountState, record: KeyRecord, tokenHash: Uint8Array): KeyRecord => {
    const key: KeyState = { record, token: keyOfBytes(tokenHash), windows: [] }
    account.keys.set(record.id, key)
    state.keysByToken.set(key.token, key)
    return record
  }

  return {
    async issueKey({ tokenHash, createdAt, lastCharacters, ...key }, limit, entry) {
      const account = state.accounts.get(key.accountId)
      if (account === undefined) return { outcome: 'account_unknown' }
      const same = state.keysByToken.get(keyOfBytes(tokenHash))?.record
      if (same !== undefined)
        return same.accountId === key.accountId && same.mode === key.mode
          ? { outcome: 'existing', key: same }
          : { outcome: 'exists' }
      if ([...state.accounts.values()].some(({ keys }) => keys.has(key.id))) return { outcome: 'exists' }
      const now = state.now()
      const counted = [...account.keys.values()].filter(({ record }) => isValidKey(record, now))
      if (counted.length >= limit) return { outcome: 'limit_reached' }
      const unused = {
        lastCharacters,
        createdAt: createdAt ?? new Date(now),
        revokedAt: undefined,
        lastUsedAt: undefined,
        successorId: undefined,
      }
      recordEntry(state, entry)
      return { outcome: 'issued', key: add(account, { ...key, ...unused }, tokenHash) }
    },

    find: async (accountId, keyId) => state.accounts.get(accountId)?.keys.get(keyId)?.record,

    async list({ accountId, mode, after, limit }) {
      const now = state.now()
      const places = [...(state.accounts.get(accountId)?.keys.values() ?? [])]
        .filter(({ record }) => mode === undefined || record.mode === mode)
        .map(({ record }) => ({ record, place: { valid: isValidKey(record, now), id: record.id } }))
        .filter(({ place }) => after === undefined || comparePlaces(place, after) > 0)
        .sort((a, b) => comparePlaces(a.place, b.place))
      return {
        keys: places.slice(0, limit).map(({ record }) => record),
        next: places.length > limit ? places[limit - 1]?.place : undefined,
      }
    },

    async revokeKey(accountId, keyId, entry) {
      const account = state.accounts.get(accountId)
      const key = account?.keys.get(keyId)
      if (account === undefined || key === undefined) return undefined
      const { revokedAt = new Date(state.now()) } = key.record
      const active = confirmedBy(account, key.record).filter(({ record }) => record.state === 'active')
      const disabledSubscriptions = active.length
      if (key.record.revokedAt === undefined || disabledSubscriptions > 0)
        recordEntry(state, entry, { disabledSubscriptions })
      key.record = { ...key.record, revokedAt }
      for (const subscription of active) disable(state, subscription, 'key')
      return { ...key.record, disabledSubscriptions }
    },

    async setApiVersion(accountId, keyId, apiVersion, entry) {
      const key = state.accounts.get(accountId)?.keys.get(keyId)
      if (key === undefined) return undefined
      if (key.record.apiVersion !== apiVersion) recordEntry(state, entry)
      key.record = { ...key.record, apiVersion }
      return key.record
    },

    async rotateKey({ accountId, keyId, successor: { tokenHash, lastCharacters, ...successor }, overlapMs }, entry) {
      const account = state.accounts.get(accountId)
      const key = account?.keys.get(keyId)
      const now = state.now()
      if (
        account === undefined ||
        key === undefined ||
        key.record.successorId !== undefined ||
        !isValidKey(key.record, now)
      )
        return undefined
      const end = Math.min(key.record.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY, now + overlapMs)
      const taken = { ...key.record, ...successor, lastCharacters, createdAt: new Date(now), lastUsedAt: undefined }
      key.record = { ...key.record, expiresAt: new Date(end), successorId: successor.id }
      for (const former of account.keys.values())
        if (former.record.successorId === keyId && isValidKey(former.record, now))
          former.record = { ...former.record, expiresAt: new Date(now) }
      for (const subscription of confirmedBy(account, key.record)) confirm(subscription, successor.id)
      recordEntry(state, entry)
      return add(account, taken, tokenHash)
    },
  }
}

function comparePlaces(a: KeyPlace, b: KeyPlace): number {
  if (a.valid !== b.valid) return a.valid ? -1 : 1
  return a.id === b.id ? 0 : a.id > b.id ? -1 : 1
}

/** The id of the last key in this key's chain of rotations; the same id if the key was never rotated. */
export function lastSuccessor(account: AccountState, keyId: string): string {
  const next = account.keys.get(keyId)?.record.successorId
  return next === undefined ? keyId : lastSuccessor(account, next)
}

export function confirm(subscription: SubscriptionState, confirmedBy: SubscriptionRecord['confirmedBy']): void {
  subscription.record = { ...subscription.record, confirmedBy }
}

function confirmedBy(account: AccountState, { id, mode }: KeyRecord): SubscriptionState[] {
  return [...account.modes[mode].subscriptions.values()].filter(
    ({ record, removed }) => !removed && record.confirmedBy === id,
  )
}
