import { startPostgres, type TestPostgres } from '@callboard/testbed'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migratedStore, waiting } from '../../testing/migrated-store.ts'
import { createPostgresStore } from '../postgres-store.ts'
import { createAccountQueues } from './account-queues.ts'

describe('the pages of one account', () => {
  let server: TestPostgres
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  it('use a quarter of the pool, and end after two seconds, so that others are answered', async () => {
    const connectionString = await server.createDatabase()
    const [direct, pool] = [2, 8].map((max) => new Pool({ connectionString, max })) as [Pool, Pool]
    await migratedStore(direct)
    const store = createPostgresStore({ pool })
    const owner = { accountId: 'a', mode: 'live' } as const
    const locker = await direct.connect()
    await locker.query('begin; lock table callboard.events, callboard.attempts')
    const ended: unknown[] = []
    const pages = Array.from({ length: 10 }, () =>
      store.deliveryLog.newestFailures(owner, 5).catch((e) => ended.push(e)),
    )
    await waiting(direct, 2)
    expect(await store.accounts.find('a')).toBeDefined()
    expect(pool.totalCount - pool.idleCount).toBe(2)
    await Promise.race(pages)
    await locker.query('rollback')
    locker.release()
    await Promise.all(pages)
    await Promise.all([direct.end(), pool.end()])
    expect(ended[0]).toMatchObject({ code: 'UNAVAILABLE', cause: { code: '57014' } })
  })
})

describe('account queues', () => {
  it('reject a call that waits too long, and run the next one', async () => {
    const take = createAccountQueues(1)
    let finish = (_result: string): void => undefined
    const first = new Promise<string>((resolve) => {
      finish = resolve
    })
    const running = take('a', 1_000, () => first)
    await expect(take('a', 1, async () => 'never')).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfter: 1 })
    const next = take('a', 60_000, async () => 'next')
    expect(await take('b', 1, async () => 'other')).toBe('other')
    finish('first')
    expect(await Promise.all([running, next])).toEqual(['first', 'next'])
  })
})
