import { createHash } from 'node:crypto'
import { createId, type RateLimits } from '@callboard/core'
import { createMemoryRateLimiter } from '@callboard/store-memory'
import { createPostgresRateLimiter } from '@callboard/store-postgres'
import type { Pool } from 'pg'
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterUnion } from 'rate-limiter-flexible'
import { ENTRY, type Migrated } from '../lib/migrated.ts'

/** Counts one request in the three rate-limit windows of the key with this number. */
export type Take = (key: number) => Promise<unknown>

export interface Contenders {
  readonly callboard: Take
  /** rate-limiter-flexible, three limiters at once (`RateLimiterUnion`). */
  readonly union: Take
  /** rate-limiter-flexible, three limiters one after another. */
  readonly inTurn: Take
  /**
   * For comparison with the limiters in Postgres. `admit` is the store's own admission, which also looks up the key.
   * `nothing` is an empty statement: no limiter can be faster.
   */
  readonly beside?: { readonly admit: Take; readonly nothing: Take }
}

/** Limits that are never reached, because the section measures admitted requests. */
const LIMITS: RateLimits = [
  { seconds: 1, limit: 1_000_000_000 },
  { seconds: 10, limit: 1_000_000_000 },
  { seconds: 60, limit: 1_000_000_000 },
]

export function inMemory(keys: number): Contenders {
  const ids = Array.from({ length: keys }, () => createId('key'))
  const ours = createMemoryRateLimiter()
  const theirs = LIMITS.map(
    ({ seconds, limit }) => new RateLimiterMemory({ keyPrefix: `${seconds}s`, duration: seconds, points: limit }),
  )
  return { callboard: (key) => ours.take({ accountId: 'acc', keyId: ids[key] ?? '' }, LIMITS), ...rivals(theirs, ids) }
}

/** The rivals get a table like Callboard's: unlogged, and with free space in its pages for updates. */
export async function inPostgres({ pool, store }: Migrated, keys: number): Promise<Contenders> {
  const account = `acc_${keys}`
  await store.accounts.create([{ id: account, name: 'Harbour Hall', entry: ENTRY }])
  const ids = Array.from({ length: keys }, () => createId('key'))
  const hashes = ids.map((id) => createHash('sha256').update(id).digest())
  for (const [index, id] of ids.entries())
    await store.keys.issue(
      {
        id,
        accountId: account,
        mode: 'live',
        name: 'bench',
        scopes: ['webhooks.read'],
        limits: undefined,
        apiVersion: '2026-10-01',
        expiresAt: undefined,
        tokenHash: hashes[index] ?? new Uint8Array(),
      },
      keys,
      ENTRY,
    )
  const ours = createPostgresRateLimiter({ pool })
  const tableName = `rivals_${keys}`
  await pool.query(
    `create unlogged table ${tableName} (key varchar(255) primary key, points integer not null default 0, expire ` +
      'bigint) with (fillfactor = 25)',
  )
  const theirs = LIMITS.map(({ seconds, limit }) => limiterIn(pool, tableName, seconds, limit))
  return {
    callboard: (key) => ours.take({ accountId: 'acc', keyId: ids[key] ?? '' }, LIMITS),
    ...rivals(theirs, ids),
    beside: {
      admit: (key) => store.admission.admit({ tokenHash: hashes[key] ?? new Uint8Array(), limits: LIMITS }),
      nothing: () => pool.query({ name: 'nothing', text: 'select' }),
    },
  }
}

function limiterIn(pool: Pool, tableName: string, seconds: number, points: number): RateLimiterPostgres {
  return new RateLimiterPostgres({
    storeClient: pool,
    storeType: 'pool',
    tableName,
    tableCreated: true,
    clearExpiredByTimeout: false,
    keyPrefix: `${seconds}s`,
    duration: seconds,
    points,
  })
}

function rivals(
  limiters: readonly (RateLimiterMemory | RateLimiterPostgres)[],
  ids: readonly string[],
): Pick<Contenders, 'union' | 'inTurn'> {
  const union = new RateLimiterUnion(...limiters)
  return {
    union: (key) => union.consume(ids[key] ?? ''),
    async inTurn(key) {
      for (const limiter of limiters) await limiter.consume(ids[key] ?? '')
    },
  }
}
