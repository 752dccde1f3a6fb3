import { startPostgres, type TestPostgres } from '@callboard/testbed'
import { Pool } from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { eventDraft } from '../../testing/inputs.ts'
import { migratedPool } from '../../testing/migrated-store.ts'
import { createPostgresStore, type PostgresStoreOptions } from '../postgres-store.ts'

let server: TestPostgres
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

/** Opens a worker's store that listens, on connections of its own, and a publisher's store. */
async function listening(options: Pick<PostgresStoreOptions, 'notify'> = {}) {
  const { pool, store } = await migratedPool(server)
  const workers = new Pool({ ...pool.options, max: 1 })
  let notices = 0
  const { stop } = createPostgresStore({ pool: workers, ...options }).deliveries.listenForWork('w', {
    onPublished: () => notices++,
    onDue: () => undefined,
    onWorkers: () => undefined,
  })
  onTestFinished(async () => {
    stop()
    await workers.end()
  })
  return {
    pool,
    store,
    notices: () => notices,
    /** Waits for this number of notices, and fails if they do not come. */
    noticed: (times: number) =>
      expect.poll(() => notices, { message: 'notices', timeout: 10_000, interval: 5 }).toBe(times),
    listeners: async () =>
      (
        await pool.query(
          `select pid from pg_stat_activity where query = 'listen callboard' and datname = current_database()`,
        )
      ).rows,
  }
}

it('gives notice of events published elsewhere, once they are committed', async () => {
  const { pool, store, notices, noticed } = await listening()
  await noticed(1)
  const client = await pool.connect()
  onTestFinished(() => client.release(true))
  await client.query('begin')
  await store.events.publishDrafts([eventDraft()], client)
  await pool.query('select 1')
  expect(notices()).toBe(1)
  await client.query('commit')
  await noticed(2)
})

it('gives notice of each of eight events that are published at once', async () => {
  const { pool, store } = await listening()
  const client = await pool.connect()
  onTestFinished(() => client.release(true))
  await client.query('listen callboard')
  const payloads: (string | undefined)[] = []
  client.on('notification', ({ payload }) => payloads.push(payload))
  await Promise.all(Array.from({ length: 8 }, () => store.events.publishDrafts([eventDraft()])))
  await client.query('select 1')
  expect(payloads.filter((payload) => payload === '')).toHaveLength(8)
})

it('listens again after it has lost its connection, and gives notice as soon as it listens again', async () => {
  const { pool, noticed, listeners } = await listening()
  await noticed(1)
  const [first] = await listeners()
  await pool.query('select pg_terminate_backend($1)', [first.pid])
  await noticed(2)
  // The server reports a connection as ended before it is really gone.
  await expect.poll(listeners).toHaveLength(1)
})

it('neither listens nor notifies with the option `notify: false`', async () => {
  const { pool, notices, listeners } = await listening({ notify: false })
  const publisher = createPostgresStore({ pool, notify: false })
  const client = await pool.connect()
  onTestFinished(() => client.release(true))
  await client.query('listen callboard')
  const received: string[] = []
  client.on('notification', ({ channel }) => received.push(channel))
  await publisher.events.publishDrafts([eventDraft()])
  await client.query('select 1')
  expect([received, notices(), await listeners()]).toEqual([[], 0, []])
})
