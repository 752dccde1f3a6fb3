import { startPostgres, type TestPostgres } from '@callboard/testbed'
import { Pool } from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { eventDraft } from '../testing/inputs.ts'
import { migratedPool } from '../testing/migrated-store.ts'
import { createPostgresStore, type PostgresStoreOptions } from './postgres-store.ts'

let server: TestPostgres
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

/** A worker's store that listens, on connections of its own, and a publisher's. */
async function listening(options: Pick<PostgresStoreOptions, 'notify'> = {}) {
  const { pool, store } = await migratedPool(server)
  const workers = new Pool({ ...pool.options, max: 1 })
  let notices = 0
  const stop = createPostgresStore({ pool: workers, ...options }).deliveries.listen(() => notices++)
  onTestFinished(async () => {
    stop()
    await workers.end()
  })
  return {
    pool,
    store,
    notices: () => notices,
    /** Waits until it has been told so often, and fails if it is not. */
    told: (times: number) =>
      expect.poll(() => notices, { message: 'times told', timeout: 10_000, interval: 5 }).toBe(times),
    listeners: async () =>
      (
        await pool.query(
          `select pid from pg_stat_activity where query = 'listen callboard' and datname = current_database()`,
        )
      ).rows,
  }
}

it('tells of what was published elsewhere, once it is committed', async () => {
  const { pool, store, notices, told } = await listening()
  await told(1)
  const client = await pool.connect()
  onTestFinished(() => client.release(true))
  await client.query('begin')
  await store.events.publish([eventDraft()], client)
  await pool.query('select 1')
  expect(notices()).toBe(1)
  await client.query('commit')
  await told(2)
})

it('tells of each event where few come, also of those that come together', async () => {
  const { store, told } = await listening()
  await told(1)
  await Promise.all(Array.from({ length: 8 }, () => store.events.publish([eventDraft()])))
  await told(9)
})

it('listens again, and tells to look, when its connection has been lost', async () => {
  const { pool, told, listeners } = await listening()
  await told(1)
  const [first] = await listeners()
  await pool.query('select pg_terminate_backend($1)', [first.pid])
  await told(2)
  // A backend says that it ends before it has.
  await expect.poll(listeners).toHaveLength(1)
})

it('neither listens nor notifies where it is told not to', async () => {
  const { pool, notices, listeners } = await listening({ notify: false })
  const publisher = createPostgresStore({ pool, notify: false })
  const client = await pool.connect()
  onTestFinished(() => client.release(true))
  await client.query('listen callboard')
  const told: string[] = []
  client.on('notification', ({ channel }) => told.push(channel))
  await publisher.events.publish([eventDraft()])
  await client.query('select 1')
  expect([told, notices(), await listeners()]).toEqual([[], 0, []])
})
