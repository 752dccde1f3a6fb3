import type { KeyRecord, RateLimits } from '@callboard/core'
import { idFromUuid, isId, isScope, type KeyStore, uuidFromId } from '@callboard/core/store'
import type { Database } from './database.ts'
import { dateOf, optionalDate } from './row-values.ts'
import {
  countSubscriptionsOfKey,
  findKey,
  handOver,
  issueKey,
  type KeyRow,
  listKeys,
  revokeKey,
  rotateKey,
  subscriptionsOfKey,
} from './statements/keys.ts'
import { disableSubscription } from './statements/subscriptions/switch-subscription.ts'

export function createKeyStore(database: Database): KeyStore {
  return {
    async issue({ accountId, id, mode, name, scopes, limits, expiresAt, tokenHash }) {
      const values = [
        accountId,
        uuidFromId('key', id),
        mode,
        name,
        [...scopes],
        secondsOf(limits),
        limitsOf(limits),
        expiresAt?.toISOString() ?? null,
        tokenHash,
      ]
      const [row] = await database.run(issueKey, values)
      return row && toKey(row)
    },
    async find(accountId, keyId) {
      if (!isId('key', keyId)) return undefined
      const [row] = await database.run(findKey, [accountId, uuidFromId('key', keyId)])
      return row && toKey(row)
    },
    async list(accountId) {
      return (await database.run(listKeys, [accountId])).map(toKey)
    },
    async countSubscriptions(accountId, keyId) {
      if (!isId('key', keyId)) return 0
      const [row] = await database.run(countSubscriptionsOfKey, [accountId, uuidFromId('key', keyId)])
      return row?.n ?? 0
    },
    revoke: async (accountId, keyId) => {
      if (!isId('key', keyId)) return undefined
      const uuid = uuidFromId('key', keyId)
      return database.transaction(async (tx) => {
        const [row] = await tx.run(revokeKey, [accountId, uuid])
        if (row === undefined) return undefined
        for (const { mode, id } of await tx.run(subscriptionsOfKey, [accountId, uuid]))
          await tx.run(disableSubscription, [accountId, mode, id, 'key', []])
        return toKey(row)
      })
    },
    async rotate({ accountId, keyId, successor, overlapMs }) {
      if (!isId('key', keyId)) return undefined
      const values = [
        accountId,
        uuidFromId('key', keyId),
        uuidFromId('key', successor.id),
        successor.tokenHash,
        successor.expiresAt?.toISOString() ?? null,
        overlapMs,
      ]
      return database.transaction(async (tx) => {
        const [row] = await tx.run(rotateKey, values)
        if (row === undefined) return undefined
        await tx.run(handOver, values.slice(0, 3))
        return toKey(row)
      })
    },
  }
}

function secondsOf(limits: RateLimits | undefined): number[] | null {
  return limits?.map(({ seconds }) => seconds) ?? null
}

function limitsOf(limits: RateLimits | undefined): number[] | null {
  return limits?.map(({ limit }) => limit) ?? null
}

/** Three windows out of two arrays; undefined when the key has none of its own. */
export function rateLimitsOf(
  seconds: readonly number[] | null,
  limits: readonly number[] | null,
): RateLimits | undefined {
  if (seconds === null || limits === null) return undefined
  const window = (index: number) => ({ seconds: seconds[index] ?? 1, limit: limits[index] ?? 1 })
  return [window(0), window(1), window(2)]
}

function toKey(row: KeyRow): KeyRecord {
  return {
    id: idFromUuid('key', row.id),
    accountId: row.account_id,
    mode: row.mode,
    name: row.name,
    scopes: row.scopes.filter(isScope),
    limits: rateLimitsOf(row.window_seconds, row.window_limits),
    createdAt: dateOf(row.created_at),
    expiresAt: optionalDate(row.expires_at),
    revokedAt: optionalDate(row.revoked_at),
    lastUsedAt: optionalDate(row.last_used_at),
    successorId: row.successor_id === null ? undefined : idFromUuid('key', row.successor_id),
  }
}
