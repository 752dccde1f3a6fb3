import { startPostgres, type TestPostgres } from '@callboard/testbed'
import { Pool, type PoolClient } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventDraft } from '../../testing/inputs.ts'
import { migratedPool } from '../../testing/migrated-store.ts'
import type { SqlClient } from '../database/database.ts'
import { createPostgresStore, type PostgresStore } from '../postgres-store.ts'

let server: TestPostgres
let pool: Pool
let other: Pool
let store: PostgresStore

beforeAll(async () => {
  server = await startPostgres()
  ;({ pool, store } = await migratedPool(server))
  other = new Pool(pool.options)
})

afterAll(() => server.stop())

/**
 * Runs `work` in a transaction on a client that has only `query(text, values)` and is known to the store. Returns the
 * statements that the client was given.
 */
async function withinTransaction(
  work: (tx: SqlClient) => Promise<unknown>,
  { hasWritten = true } = {},
): Promise<string[]> {
  const client = await pool.connect()
  const asked: string[] = []
  const tx: SqlClient = {
    query(text, values) {
      asked.push(text)
      return client.query(text, values)
    },
  }
  await client.query('begin')
  if (hasWritten) await client.query('create temporary table written () on commit drop')
  await store.events.publishDrafts([], tx)
  asked.length = 0
  await work(tx)
  await client.query('commit')
  client.release()
  return asked
}

describe('publishing on the caller’s own client', () => {
  it.each([
    { what: 'one event', drafts: () => [eventDraft()] },
    { what: 'one event with a key', drafts: () => [eventDraft('s', 'k')] },
    {
      what: 'one event with the publisher’s own id',
      drafts: () => [{ ...eventDraft('s', undefined), ownId: true, digests: ['k1.x'] }],
    },
    { what: 'many events', drafts: () => Array.from({ length: 20 }, () => eventDraft('s')) },
    { what: 'many events with keys', drafts: () => ['a', 'b', 'c'].map((key) => eventDraft('s', key)) },
  ])('runs one statement for $what, and two if the transaction has not written before', async ({ drafts }) => {
    for (const [hasWritten, statements] of [
      [true, 1],
      [false, 2],
    ] as const) {
      const published = drafts().map((draft) => ({ ...draft, idempotencyKey: draft.idempotencyKey && draft.id }))
      const asked = await withinTransaction((tx) => store.events.publishDrafts(published, tx), { hasWritten })
      expect(asked).toHaveLength(statements)
      for (const { id } of published) expect(await store.events.find('a', 'live', id)).toBeDefined()
    }
  })

  it('returns an event that existed before, and leaves the transaction usable', async () => {
    const [first, again, next] = [eventDraft('t', 'again'), eventDraft('t', 'again'), eventDraft('t')]
    await store.events.publishDrafts([first])
    await withinTransaction(async (tx) => {
      expect(await store.events.publishDrafts([again], tx)).toMatchObject([
        { outcome: 'known', event: { id: first.id } },
      ])
      expect(await store.events.publishDrafts([next], tx)).toMatchObject([
        { outcome: 'stored', event: { id: next.id, subject: { sequence: 2 } } },
      ])
    })
  })
})

describe('publishing on a client of the store’s own pool', () => {
  const prepared = async (client: PoolClient): Promise<string[]> =>
    (await client.query<{ name: string }>('select name from pg_prepared_statements')).rows.map(({ name }) => name)

  it('uses prepared statements, like the store itself', async () => {
    const client = await pool.connect()
    await client.query('begin')
    await store.events.publishDrafts([eventDraft()], client)
    await client.query('commit')
    expect(await prepared(client)).toContainEqual(expect.stringMatching(/\.publish-event$/))
    client.release()
  })

  it.each([
    { what: 'when the store prepares nothing', open: () => createPostgresStore({ pool, prepare: false }) },
    { what: 'when the client belongs to another pool', open: () => createPostgresStore({ pool: other }) },
  ])('uses no prepared statements $what', async ({ open }) => {
    const unprepared = open()
    const client = await pool.connect()
    await client.query('deallocate all')
    await client.query('begin')
    await unprepared.events.publishDrafts([eventDraft()], client)
    await client.query('commit')
    expect(await prepared(client)).toEqual([])
    // Closes the connection, because `pg` still believes that its statements are prepared.
    client.release(true)
  })
})

describe('publishing many events at once', () => {
  it('gives each event of several subjects its sequence, counted by the store or set by the draft', async () => {
    const drafts = [
      eventDraft('x'),
      { ...eventDraft('y'), sequence: 7 },
      eventDraft('y'),
      eventDraft('x'),
      { ...eventDraft('x'), sequence: 40 },
      eventDraft('x'),
    ]
    const outcomes = await store.events.publishDrafts(drafts)
    expect(outcomes.map((outcome) => 'event' in outcome && [outcome.event.id, outcome.event.subject.sequence])).toEqual(
      [1, 7, 1, 2, 40, 3].map((sequence, index) => [drafts[index]?.id, sequence]),
    )
    for (const [index, sequence] of [1, 7, 1, 2, 40, 3].entries())
      expect((await store.events.find('a', 'live', drafts[index]!.id))?.body).toBe(
        `{"name":"A","sequence":${sequence}}`,
      )
  })

  it('stores each text and each patch unchanged', async () => {
    const note = JSON.stringify('"Ada"\\ \u001f \n {a,b} Ä 😀')
    const drafts = [null, `7,${note.length}:${note}`, null, '7,2:,1'].map((patch) => ({
      ...eventDraft('w'),
      tail: `,"note":${note}}`,
      patch,
    }))
    await store.events.publishDrafts(drafts)
    for (const [index, { id, patch }] of drafts.entries())
      expect(await store.events.find('a', 'live', id)).toMatchObject({
        body: `{"name":"A","sequence":${index + 1},"note":${note}}`,
        patch,
      })
  })

  it('stores, queues and counts nothing if one of the accounts does not exist', async () => {
    const [known, unknown] = [eventDraft('z'), { ...eventDraft('z'), accountId: 'nobody' }]
    const before = await store.deliveries.backlog()
    expect(await store.events.publishDrafts([known, unknown])).toEqual([
      { outcome: 'not_stored' },
      { outcome: 'account_unknown' },
    ])
    expect((await store.deliveries.backlog()).outbox).toBe(before.outbox)
    expect(await store.events.publishDrafts([eventDraft('z')])).toMatchObject([{ event: { subject: { sequence: 1 } } }])
  })
})

describe('a database of the previous version', () => {
  it('is reported as not migrated', async () => {
    const older = await migratedPool(server)
    await older.pool.query(
      'drop function callboard.publish_event(text, text, uuid, text, timestamptz, text, text, bigint, text, text, ' +
        'text, text, text, text, text, text, boolean, text, boolean)',
    )
    await expect(older.store.events.publishDrafts([eventDraft()])).rejects.toMatchObject({
      code: 'CONFIGURATION_INVALID',
    })
  })
})
