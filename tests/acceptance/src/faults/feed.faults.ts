import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createCallboard } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { createRouter } from '@callboard/router'
import { createPostgresStore, migrate } from '@callboard/store-postgres'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import type { Pool } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { issueKey } from '../arrange.ts'
import { RING, type SampleCallboard } from '../on-each-store.ts'
import { catalog } from '../sample-catalog.ts'

const KILLS = 12
/** How many events each process sequences before it is killed. */
const EVENTS_PER_LIFE = 40
const K1 = Buffer.from(RING.k1).toString('base64')

let server: TestPostgres
let pool: Pool
let callboard: SampleCallboard
beforeAll(async () => {
  server = await startPostgres()
  pool = await server.createPool()
  const client = await pool.connect()
  await migrate(client)
  client.release()
  callboard = createCallboard({
    catalog,
    store: createPostgresStore({ pool, notify: false }),
    secretKeys: { current: 'k1', keys: { k1: K1 } },
    rateLimits: [
      { seconds: 1, limit: 1_000_000 },
      { seconds: 10, limit: 1_000_000 },
      { seconds: 60, limit: 1_000_000 },
    ],
  })
  await callboard.accounts.create({ id: 'acc', name: 'Acme' })
})
afterAll(() => server.stop())

interface Page {
  readonly data: readonly { readonly id: string; readonly type: string; readonly subject: Subject }[]
  readonly nextCursor: string
  readonly truncated: boolean
}
interface Subject {
  readonly id: string
  readonly sequence: number
}

/** A customer's process: it commits what it has read together with its cursor, or dies before it has. */
async function openReader(types: string | undefined, limit: number) {
  const { fetch } = createRouter(callboard)
  const { token } = await issueKey(callboard, { scopes: ['webhooks.read'] })
  const committed: Page['data'][number][] = []
  let after: string | undefined
  const read = async (mayDie: boolean): Promise<number> => {
    const query = new URLSearchParams({ limit: String(limit) })
    if (types !== undefined) query.set('types', types)
    if (after === undefined) query.set('since', '2020-01-01T00:00:00Z')
    else query.set('after', after)
    const request = new Request(`https://example.com/v1/events/feed?${query}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const response = await fetch(request)
    expect(response.status).toBe(200)
    const page: Page = await response.json()
    expect(page.truncated).toBe(false)
    if (mayDie && Math.random() < 0.3) return page.data.length
    committed.push(...page.data)
    after = page.nextCursor
    return page.data.length
  }
  return { committed, read, types: types?.split(',') }
}

/** Starts a process that publishes and sequences, and kills it once it has sequenced some events. */
async function liveAndDie(): Promise<void> {
  const child = fork(new URL('../feed-process.ts', import.meta.url), [url(), K1], { execArgv: [] })
  const exit = once(child, 'exit')
  try {
    await sequencedBy(child, EVENTS_PER_LIFE)
  } finally {
    child.kill('SIGKILL')
    await exit
  }
}

function url(): string {
  const { connectionString } = pool.options
  if (connectionString === undefined) throw new Error('the pool has no address')
  return connectionString
}

function sequencedBy(child: ChildProcess, count: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let sum = 0
    child.on('message', (message: { readonly sequenced: number }) => {
      sum += message.sequenced
      if (sum >= count) resolve()
    })
    child.once('exit', (code) => reject(new Error(`the process ended: ${code}`)))
  })
}

it('F49: readers of the feed miss nothing and get nothing twice while two processes that publish and sequence are killed', async () => {
  const readers = [
    await openReader(undefined, 7),
    await openReader('order.paid', 100),
    await openReader('attendee.checked_in,order.paid', 1),
  ]
  let isOver = false
  const reading = Promise.all(
    readers.map(async ({ read }) => {
      while (!isOver) await read(true)
    }),
  )
  let kills = 0
  const lives = async (): Promise<void> => {
    while (kills < KILLS) {
      await liveAndDie()
      kills++
    }
  }
  await Promise.all([lives(), lives()]).finally(() => {
    isOver = true
    return reading
  })
  while ((await engineOf(callboard).store.deliveries.sequence(1000)).sequenced > 0);
  for (const { read } of readers) while ((await read(false)) > 0);

  const { rows } = await pool.query(`
select f.type, e.body::json->>'id' as id from callboard.feed f join callboard.events e on e.id = f.event_id
where f.account_id = 'acc' order by f.position`)
  process.stdout.write(`F49: ${kills} kills; ${rows.length} events in the feed\n`)
  for (const { committed, types } of readers) {
    const wanted = rows.filter(({ type }) => types === undefined || types.includes(type)).map(({ id }) => id)
    expect(committed.map(({ id }) => id)).toEqual(wanted)
    const last = new Map<string, number>()
    for (const { subject } of committed) {
      expect(subject.sequence).toBe((last.get(subject.id) ?? 0) + 1)
      last.set(subject.id, subject.sequence)
    }
  }
  const published = await pool.query(`select count(*)::int as n from callboard.events where account_id = 'acc'`)
  expect(published.rows[0].n).toBe(rows.length)
})
