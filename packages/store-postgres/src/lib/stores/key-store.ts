import type { KeyRecord, RateLimits } from '@callboard/core'
import { idFromUuid, isId, isScope, type Store, uuidFromId } from '@callboard/core/store'
import { lockIssues } from '../accounts/account-locks.ts'
import { findAccount, ownersOf } from '../accounts/account-statements.ts'
import { entryJson } from '../audit/record-entry.ts'
import type { Database } from '../database/database.ts'
import {
  type ApiKeyKey,
  countKeys,
  findKey,
  findKeyByToken,
  issueKey,
  type KeyRow,
  listKeys,
  setKeyVersion,
} from '../keys/key-statements.ts'
import { revokeKey } from '../keys/revoke-key.ts'
import { rotateKey } from '../keys/rotate-key.ts'
import { dateOf, optionalDate } from '../sql/row-values.ts'

export function createKeyStore(database: Database): Store<unknown>['keys'] {
  return {
    issueKey: (
      { accountId, id, mode, limits, expiresAt, tokenHash, lastCharacters, createdAt, ...more },
      limit,
      entry,
    ) =>
      database.transaction(async (tx) => {
        await tx.run(lockIssues, { accountId })
        if ((await tx.run(findAccount, { id: accountId })).length === 0) return { outcome: 'account_unknown' }
        const [same] = await tx.run(findKeyByToken, { tokenHash })
        if (same !== undefined)
          return same.account_id === accountId && same.mode === mode
            ? { outcome: 'existing', key: toKey(same) }
            : { outcome: 'exists' }
        const key = keyOf(accountId, id)
        // Looks up the key before counting keys. If a form is posted twice, the second post must learn that the key
        // exists, even if the first post used up the limit.
        if ((await tx.run(ownersOf.key, { id: key.keyId })).length > 0) return { outcome: 'exists' }
        const [count] = await tx.run(countKeys, { accountId })
        if ((count?.n ?? 0) >= limit) return { outcome: 'limit_reached' }
        const [row] = await tx.run(issueKey, {
          ...{ ...more, ...key, mode, tokenHash },
          windowSeconds: limits?.map(({ seconds }) => seconds) ?? null,
          windowLimits: limits?.map(({ limit }) => limit) ?? null,
          expiresAt: expiresAt?.toISOString() ?? null,
          lastCharacters: lastCharacters ?? null,
          createdAt: createdAt?.toISOString() ?? null,
          entry: entryJson(entry),
        })
        // Without a row, another account has stored a key with this id or token meanwhile. The account cannot have been deleted,
        // because its deletion waits for the lock.
        return row === undefined ? { outcome: 'exists' } : { outcome: 'issued', key: toKey(row) }
      }),
    async find(accountId, keyId) {
      if (!isId('key', keyId)) return undefined
      const [row] = await database.run(findKey, keyOf(accountId, keyId))
      return row && toKey(row)
    },
    async list({ accountId, mode, after, limit }) {
      const rows = await database.run(listKeys, {
        accountId,
        mode: mode ?? null,
        afterValid: after?.valid ?? null,
        afterId: after === undefined ? null : uuidFromId('key', after.id),
        limit: limit + 1,
      })
      const keys = rows.slice(0, limit).map(toKey)
      const last = rows.length > limit ? rows[limit - 1] : undefined
      return { keys, next: last && { valid: last.valid, id: idFromUuid('key', last.id) } }
    },
    async revokeKey(accountId, keyId, entry) {
      if (!isId('key', keyId)) return undefined
      const [row] = await database.run(revokeKey, { ...keyOf(accountId, keyId), entry: entryJson(entry) })
      return row && { ...toKey(row), disabledSubscriptions: row.disabled }
    },
    async setApiVersion(accountId, keyId, apiVersion, entry) {
      if (!isId('key', keyId)) return undefined
      const version = { ...keyOf(accountId, keyId), apiVersion, entry: entryJson(entry) }
      const [row] = await database.run(setKeyVersion, version)
      return row && toKey(row)
    },
    async rotateKey({ accountId, keyId, successor, overlapMs }, entry) {
      if (!isId('key', keyId)) return undefined
      const [row] = await database.run(rotateKey, {
        ...keyOf(accountId, keyId),
        overlapMs,
        successorId: uuidFromId('key', successor.id),
        tokenHash: successor.tokenHash,
        lastCharacters: successor.lastCharacters ?? null,
        expiresAt: successor.expiresAt?.toISOString() ?? null,
        entry: entryJson(entry),
      })
      return row && toKey(row)
    },
  }
}

function keyOf(accountId: string, keyId: string): ApiKeyKey {
  return { accountId, keyId: uuidFromId('key', keyId) }
}

/** Builds a key's three windows from two arrays; undefined if the key has no windows of its own. */
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
    lastCharacters: row.last_characters ?? undefined,
    scopes: row.scopes.filter(isScope),
    limits: rateLimitsOf(row.window_seconds, row.window_limits),
    apiVersion: row.api_version,
    createdAt: dateOf(row.created_at),
    expiresAt: optionalDate(row.expires_at),
    revokedAt: optionalDate(row.revoked_at),
    lastUsedAt: optionalDate(row.last_used_at),
    successorId: row.successor_id === null ? undefined : idFromUuid('key', row.successor_id),
  }
}
