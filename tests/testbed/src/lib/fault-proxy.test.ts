import { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'
import { startPostgres, type TestPostgres } from './test-postgres.ts'

describe('a fault proxy in front of a database', () => {
  let server: TestPostgres
  let proxy: FaultProxy
  let pool: Pool
  /** A pool with short timeouts, because some queries are never answered. */
  let impatient: Pool

  beforeAll(async () => {
    server = await startPostgres()
    const url = await server.createDatabase()
    proxy = await startFaultProxy(url)
    pool = new Pool({ connectionString: proxy.through(url) })
    impatient = new Pool({ connectionString: proxy.through(url), query_timeout: 500, connectionTimeoutMillis: 500 })
    for (const each of [pool, impatient]) each.on('error', () => undefined)
    await pool.query('create table kept (n int)')
  })
  afterAll(async () => {
    await pool.end()
    await impatient.end()
    await proxy.stop()
    await server.stop()
  })
  beforeEach(() => proxy.pass())

  const one = async (by = pool): Promise<unknown> => (await by.query('select 1 as one')).rows[0]

  it('passes on queries, resets and refuses connections, and then passes on queries again', async () => {
    await expect(one()).resolves.toEqual({ one: 1 })
    expect(proxy.connections).toBe(1)
    const busy = pool.query('select pg_sleep(60)').catch((error: unknown) => error)
    proxy.reset()
    expect(await busy).toBeInstanceOf(Error)
    await proxy.refuse()
    await expect(one()).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await proxy.pass()
    await expect(one()).resolves.toEqual({ one: 1 })
  })

  it('delays each query', async () => {
    await one()
    proxy.delay(200)
    const start = performance.now()
    await one()
    expect(performance.now() - start).toBeGreaterThanOrEqual(199)
  })

  it('silences existing connections, or new connections as well, without ending any', async () => {
    const accepted = proxy.accepted
    const client = await pool.connect()
    proxy.strand()
    const silent = { text: 'select 1', query_timeout: 500 }
    await expect(client.query(silent)).rejects.toThrow('Query read timeout')
    client.release(true)
    await expect(one()).resolves.toEqual({ one: 1 })
    expect(proxy.accepted).toBeGreaterThan(accepted)
    proxy.swallow()
    await expect(one(impatient)).rejects.toThrow('timeout')
    await expect(one(impatient)).rejects.toThrow('timeout')
    await proxy.pass()
    // Until the pool notices the reset, it can hand out a connection that was reset.
    await expect.poll(() => pool.totalCount).toBe(0)
    await expect(one()).resolves.toEqual({ one: 1 })
  })

  it.each([
    { side: 'client', word: 'insert into kept', arrived: 0 },
    { side: 'server', word: 'INSERT 0 1', arrived: 1 },
  ] as const)('cuts at a word from the $side, which the other side never gets', async ({ side, word, arrived }) => {
    const cut = proxy.cutWhen(side, (bytes) => bytes.includes(word))
    await expect(pool.query('insert into kept values (1)')).rejects.toThrow()
    await cut
    // The backend may still be executing the statement.
    const count = async (): Promise<number> => (await pool.query('select from kept')).rows.length
    await expect.poll(count).toBe(arrived)
    await pool.query('delete from kept')
  })

  it('cuts a connection after a number of bytes', async () => {
    const cut = proxy.cutAfter('server', 100)
    const long = pool.query(`select repeat('x', 10000)`).catch((error: unknown) => error)
    await cut
    expect(await long).toBeInstanceOf(Error)
  })
})
