import { createId } from '@callboard/core'
import { createMemoryRateLimiter } from '@callboard/store-memory'
import { createPostgresRateLimiter } from '@callboard/store-postgres'
import type { Pool } from 'pg'
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterUnion } from 'rate-limiter-flexible'
import { BENCH_OPTIONS } from '../lib/bench-callboard.ts'

/** Counts one request in the three rate-limit windows of the key with this number. */
export type Take = (key: number) => Promise<unknown>

export interface Contenders {
  readonly callboard: Take
  /** rate-limiter-flexible, three limiters at once (`RateLimiterUnion`). */
  readonly union: Take
  /** rate-limiter-flexible, three limiters one after another. */
  readonly inTurn: Take
  /** Limiters in Postgres only: an empty statement. No limiter can be faster. */
  readonly nothing?: Take | undefined
}

const LIMITS = BENCH_OPTIONS.rateLimits

export function inMemory(keys: number): Contenders {
  const ids = Array.from({ length: keys }, () => createId('key'))
  const ours = createMemoryRateLimiter()
  const theirs = LIMITS.map(
    ({ seconds, limit }) => new RateLimiterMemory({ keyPrefix: `${seconds}s`, duration: seconds, points: limit }),
  )
  return {
    callboard: (key) => ours.takeRequest({ accountId: 'acc', keyId: ids[key] ?? '' }, LIMITS),
    ...rivals(theirs, ids),
  }
}

/** The rivals get a table like Callboard's: unlogged, and with free space in its pages for updates. */
export async function inPostgres(pool: Pool, keys: number): Promise<Contenders> {
  const ids = Array.from({ length: keys }, () => createId('key'))
  const ours = createPostgresRateLimiter({ pool })
  const tableName = `rivals_${keys}`
  await pool.query(
    `create unlogged table ${tableName} (key varchar(255) primary key, points integer not null default 0, expire ` +
      'bigint) with (fillfactor = 25)',
  )
  const theirs = LIMITS.map(({ seconds, limit }) => limiterIn(pool, tableName, seconds, limit))
  return {
    callboard: (key) => ours.takeRequest({ accountId: 'acc', keyId: ids[key] ?? '' }, LIMITS),
    ...rivals(theirs, ids),
    nothing: () => pool.query({ name: 'nothing', text: 'select' }),
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
