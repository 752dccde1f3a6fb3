import { randomUUID } from 'node:crypto'
import type { RateLimiter } from '@callboard/core'
import { createId, type RateLimits } from '@callboard/core'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import { PGlite } from '@electric-sql/pglite'
import { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { migratedPool } from '../../testing/migrated-store.ts'
import type { SqlClient } from '../database/database.ts'
import { migrate } from '../schema/migrate.ts'
import { createPostgresRateLimiter } from './postgres-rate-limiter.ts'

const LIMITS: RateLimits = [
  { seconds: 1, limit: 2 },
  { seconds: 10, limit: 3 },
  { seconds: 60, limit: 5 },
]

const WIDE: RateLimits = [
  { seconds: 1, limit: 500 },
  { seconds: 10, limit: 500 },
  { seconds: 60, limit: 500 },
]

let server: TestPostgres
let pool: Pool
let pglite: PGlite

beforeAll(async () => {
  server = await startPostgres()
  ;({ pool } = await migratedPool(server))
  pglite = await PGlite.create()
  await migrate(pglite)
})

afterAll(() => server.stop())

describe.each([
  { where: 'Postgres', database: () => pool, open: () => createPostgresRateLimiter({ pool }) },
  { where: 'PGlite', database: () => pglite, open: () => createPostgresRateLimiter({ pglite }) },
])('the rate limiter in $where', ({ database, open }) => {
  let limiter: RateLimiter
  let key: string

  /** Stops the database's clock at this time. */
  const setClock = (time: string): Promise<unknown> => {
    const sql: Pick<SqlClient, 'query'> = database()
    return sql.query(
      `create or replace function callboard.clock() returns timestamptz language plpgsql stable
       as $$ begin return timestamptz '2026-11-22T${time}Z'; end $$`,
    )
  }
  /** Whether the request was admitted, and what remains in each window. */
  const take = async (of = key, limits = LIMITS) => {
    const { admitted, windows } = await limiter.takeRequest({ accountId: 'acc', keyId: of }, limits)
    return [admitted, ...windows.map(({ remaining }) => remaining)]
  }
  const takeAtOnce = (times: number) => Promise.all(Array.from({ length: times }, () => take()))

  beforeEach(async () => {
    limiter = open()
    key = createId('key')
    await setClock('12:00:00')
  })

  it('counts a request in all three windows, and in none if one of them is full', async () => {
    expect(await take()).toEqual([true, 1, 2, 4])
    expect(await take()).toEqual([true, 0, 1, 3])
    expect(await take()).toEqual([false, 0, 1, 3])
    await setClock('12:00:01')
    expect(await take()).toEqual([true, 1, 0, 2])
    expect(await take()).toEqual([false, 1, 0, 2])
  })

  it('answers concurrent requests as if they were consecutive', async () => {
    expect(await takeAtOnce(4)).toEqual([
      [true, 1, 2, 4],
      [true, 0, 1, 3],
      [false, 0, 1, 3],
      [false, 0, 1, 3],
    ])
    await setClock('12:00:01')
    expect(await takeAtOnce(4)).toEqual([
      [true, 1, 0, 2],
      [false, 1, 0, 2],
      [false, 1, 0, 2],
      [false, 1, 0, 2],
    ])
  })

  it('reports when each window starts again', async () => {
    await setClock('12:00:03.250')
    const { windows } = await limiter.takeRequest({ accountId: 'acc', keyId: key }, LIMITS)
    expect(windows.map(({ resetAfterMs }) => resetAfterMs)).toEqual([750, 6750, 56_750])
  })

  it('never moves a window back when the clock goes back', async () => {
    await setClock('12:00:01')
    await takeAtOnce(2)
    await setClock('12:00:00.500')
    expect(await take()).toEqual([false, 0, 1, 3])
  })

  it('keeps counting in the latest window when the clock is set back by five seconds', async () => {
    await takeAtOnce(2)
    await setClock('11:59:55')
    const { admitted, windows } = await limiter.takeRequest({ accountId: 'acc', keyId: key }, LIMITS)
    expect({ admitted, wait: windows.map(({ resetAfterMs }) => resetAfterMs) }).toEqual({
      admitted: false,
      wait: [6_000, 15_000, 65_000],
    })
  })

  it('starts counting anew when the clock is set back by an hour', async () => {
    await takeAtOnce(3)
    await setClock('11:00:00')
    const { admitted, windows } = await limiter.takeRequest({ accountId: 'acc', keyId: key }, LIMITS)
    expect([admitted, ...windows.map(({ remaining }) => remaining)]).toEqual([true, 1, 2, 4])
    expect(windows.map(({ resetAfterMs }) => resetAfterMs)).toEqual([1_000, 10_000, 60_000])
  })

  it('counts keys separately, and applies the limits of each request', async () => {
    const other = createId('key')
    const wide: RateLimits = [
      { seconds: 1, limit: 10 },
      { seconds: 10, limit: 10 },
      { seconds: 60, limit: 10 },
    ]
    await take()
    expect(await Promise.all([take(), take(other), take()])).toEqual([
      [true, 0, 1, 3],
      [true, 1, 2, 4],
      [false, 0, 1, 3],
    ])
    expect(await take(key, wide)).toEqual([true, 7, 7, 7])
  })

  it('counts keys of different accounts separately, even if their ids are equal', async () => {
    const takeOf = async (accountId: string) => (await limiter.takeRequest({ accountId, keyId: key }, LIMITS)).admitted
    const asked = ['other', 'other', 'other', 'acc', 'acc', 'acc']
    expect(await Promise.all(asked.map(takeOf))).toEqual([true, true, false, true, true, false])
  })

  it('refuses an invalid key id, but no other request that arrives at the same time', async () => {
    const [wrong, right] = await Promise.allSettled([take('key_1'), take()])
    expect([wrong.status, right.status]).toEqual(['rejected', 'fulfilled'])
  })

  it('fails for all callers while the database is not migrated, and works once it is', async () => {
    const sql: Pick<SqlClient, 'query'> = database()
    await sql.query('alter function callboard.take_requests rename to not_yet')
    const failed = await Promise.allSettled(Array.from({ length: 3 }, () => take()))
    await sql.query('alter function callboard.not_yet rename to take_requests')
    expect(failed).toMatchObject(
      Array.from({ length: 3 }, () => ({ status: 'rejected', reason: { code: 'CONFIGURATION_INVALID' } })),
    )
    expect(await take()).toEqual([true, 1, 2, 4])
  })
})

describe('the windows of keys', () => {
  it('are found by their index, even if their table was small when the session planned the lookup', async () => {
    const client = await pool.connect()
    const scans = async (): Promise<unknown> => {
      await client.query('begin')
      await client.query(
        `select callboard.take_requests(array['acc'], array['${randomUUID()}'::uuid], '{1}', '{1,10,60}', '{1,1,1}')`,
      )
      const { rows } = await client.query(
        `select pg_stat_get_xact_numscans('callboard.rate_windows'::regclass)::int as n`,
      )
      await client.query('rollback')
      return rows
    }
    await client.query('vacuum analyze callboard.rate_windows')
    const counted = await scans()
    client.release()
    expect(counted).toEqual([{ n: 0 }])
  })
})

describe('rate limiters of several nodes', () => {
  it('admit the first requests of a key', async () => {
    const nodes = Array.from({ length: 4 }, () => createPostgresRateLimiter({ pool: new Pool(pool.options) }))
    for (let rounds = 0; rounds < 100; rounds++) {
      const keys = Array.from({ length: 5 }, () => createId('key'))
      const asked = nodes.flatMap((node) => keys.map((key) => node.takeRequest({ accountId: 'acc', keyId: key }, WIDE)))
      expect((await Promise.all(asked)).filter(({ admitted }) => !admitted)).toEqual([])
    }
  })

  it('together admit exactly the limit, and return each count of remaining requests once', async () => {
    const keys = Array.from({ length: 3 }, () => createId('key'))
    const limits: RateLimits = [
      { seconds: 1, limit: 500 },
      { seconds: 10, limit: 133 },
      { seconds: 60, limit: 500 },
    ]
    const nodes = Array.from({ length: 4 }, () => createPostgresRateLimiter({ pool: new Pool(pool.options) }))
    const asked = nodes.flatMap((node, n) =>
      Array.from({ length: 300 }, async (_, index) => {
        const key = keys[(n + index) % keys.length]!
        const { admitted, windows } = await node.takeRequest({ accountId: 'acc', keyId: key }, limits)
        return admitted ? [`${key} ${windows[1]?.remaining}`] : []
      }),
    )
    const admitted = (await Promise.all(asked)).flat()
    expect(admitted).toHaveLength(3 * 133)
    expect(new Set(admitted).size).toBe(3 * 133)
  })
})
