import { type Caller, isValidKey, keySeesPersonalData, type Store } from '@callboard/core/store'
import { type KeyState, keyOfBytes, type MemoryState } from '../memory-state.ts'
import { takeFromWindows } from '../rate-windows.ts'
import { readPage } from './event-store.ts'

/** `lastUsedAt` lags behind a key's last use by at most this many milliseconds. */
const USE_SAMPLE_MS = 60_000

export function createAdmissionStore(state: MemoryState): Store<unknown>['admission'] {
  const identify = (tokenHash: Uint8Array, now: number): { key: KeyState; caller: Caller } | undefined => {
    const key = state.keysByToken.get(keyOfBytes(tokenHash))
    if (key === undefined || !isValidKey(key.record, now)) return undefined
    const { id: keyId, accountId, mode, scopes, apiVersion } = key.record
    const account = state.accounts.get(accountId)
    return account && { key, caller: { keyId, account: account.record, mode, scopes, apiVersion } }
  }

  const markUsed = (key: KeyState, now: number): void => {
    const { lastUsedAt } = key.record
    if (lastUsedAt === undefined || now - lastUsedAt.getTime() >= USE_SAMPLE_MS)
      key.record = { ...key.record, lastUsedAt: new Date(now) }
  }

  return {
    async identify(tokenHash) {
      const now = state.now()
      const known = identify(tokenHash, now)
      if (known === undefined) return undefined
      markUsed(known.key, now)
      return { caller: known.caller, limits: known.key.record.limits }
    },

    async admitRequest({ tokenHash, limits, page }) {
      const now = state.now()
      const known = identify(tokenHash, now)
      if (known === undefined) return { outcome: 'unknown' }
      const { key, caller } = known
      const { admitted, windows } = takeFromWindows(key.windows, key.record.limits ?? limits, now)
      if (!admitted) return { outcome: 'limited', caller, windows }
      markUsed(key, now)
      const { account, mode, scopes } = caller
      if (page === undefined || !scopes.includes('webhooks.read')) return { outcome: 'admitted', caller, windows }
      const reader = { accountId: account.id, mode, personalData: keySeesPersonalData(scopes) }
      return { outcome: 'admitted', caller, windows, page: readPage(state, { ...page, ...reader }) }
    },
  }
}
