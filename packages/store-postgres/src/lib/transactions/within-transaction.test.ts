import { ENTRY } from '@callboard/store-conformance'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import { PGlite } from '@electric-sql/pglite'
import { Client, type Pool, type PoolClient } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventDraft } from '../../testing/inputs.ts'
import { migratedPool, waiting } from '../../testing/migrated-store.ts'
import type { SqlClient } from '../database/database.ts'
import { createPostgresStore, type PostgresStore } from '../postgres-store.ts'
import { migrate } from '../schema/migrate.ts'

let server: TestPostgres
let pool: Pool
let store: PostgresStore
let pglite: PGlite
let embedded: PostgresStore
let client: PoolClient

beforeAll(async () => {
  ;[server, pglite] = await Promise.all([startPostgres(), PGlite.create()])
  ;({ pool, store } = await migratedPool(server))
  await migrate(pglite)
  embedded = createPostgresStore({ pglite })
  await embedded.accounts.createAccounts([{ id: 'a', name: 'A', entry: ENTRY }])
})
afterAll(() => Promise.all([server.stop(), pglite.close()]))

beforeEach(async () => {
  client = await pool.connect()
  return async () => {
    await client.query('rollback')
    client.release()
  }
})

const DRAFTS = {
  'one event': () => [eventDraft('s')],
  'one event with a key': () => [eventDraft('s', crypto.randomUUID())],
  'several events': () => [eventDraft('s'), eventDraft('t')],
  'several events with keys': () => [eventDraft('s', crypto.randomUUID()), eventDraft('t', crypto.randomUUID())],
}

const NO_TRANSACTION = { code: 'CONFIGURATION_INVALID', message: expect.stringMatching(/^tx has no open transaction/) }
const NO_CLIENT = { code: 'CONFIGURATION_INVALID', message: expect.stringMatching(/^tx must have query.+fromTypeOrm/) }
const events = async (): Promise<number> => (await pool.query('select from callboard.events')).rows.length

describe.each(Object.entries(DRAFTS))('publishing %s with tx', (_, drafts) => {
  it('is refused outside a transaction, and stores nothing', async () => {
    const before = await events()
    const other = new Client({ connectionString: pool.options.connectionString })
    await other.connect()
    // @ts-expect-error because the types refuse a pool too
    await expect(store.events.publishDrafts(drafts(), pool)).rejects.toMatchObject(NO_TRANSACTION)
    for (const each of [client, other])
      await expect(store.events.publishDrafts(drafts(), each)).rejects.toMatchObject(NO_TRANSACTION)
    await client.query('begin; select pg_current_xact_id(); rollback')
    await expect(store.events.publishDrafts(drafts(), client)).rejects.toMatchObject(NO_TRANSACTION)
    await expect(embedded.events.publishDrafts(drafts(), pglite)).rejects.toMatchObject(NO_TRANSACTION)
    expect((await pglite.query('select from callboard.events')).rows).toEqual([])
    await other.end()
    expect(await events()).toBe(before)
  })

  it.each([
    ['that has not written yet', 'begin'],
    ['that has written', 'begin; create temporary table mine () on commit drop'],
    ['within a savepoint', 'begin; savepoint s'],
    ['after a savepoint', 'begin; savepoint s; create temporary table mine (); rollback to s'],
    ['that is repeatable read', 'begin isolation level repeatable read'],
    ['that is serializable', 'begin isolation level serializable'],
  ])('joins a transaction %s', async (_when, begin) => {
    // Nobody waits for `begin`.
    const begun = client.query(begin)
    const outcomes = await store.events.publishDrafts(drafts(), client)
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(outcomes.map(() => 'stored'))
    const before = await events()
    await begun
    await client.query('rollback')
    expect(await events()).toBe(before)
    await client.query(begin)
    await store.events.publishDrafts(drafts(), client)
    await client.query('commit')
    expect(await events()).toBe(before + outcomes.length)
  })

  it('says that a transaction is read-only', async () => {
    for (const begin of ['begin read only', 'begin; select pg_current_xact_id(); set transaction read only']) {
      await client.query(begin)
      await expect(store.events.publishDrafts(drafts(), client)).rejects.toMatchObject({
        code: 'CONFIGURATION_INVALID',
        message: expect.stringContaining('read-only'),
      })
      await client.query('rollback')
    }
  })
})

describe('ensuring accounts with tx', () => {
  const ensure = (tx: SqlClient, ...ids: string[]) => {
    const actor = { type: 'platform', id: undefined } as const
    const entry = { actor, action: 'account.created', mode: undefined, objectId: undefined, details: {} } as const
    return store.accounts.createAccounts(
      ids.map((id) => ({ id, name: id, entry: { ...entry, accountId: id } })),
      tx,
    )
  }

  it('is refused outside a transaction, even if nothing would be created', async () => {
    await expect(ensure(client, 'a')).rejects.toMatchObject(NO_TRANSACTION)
  })

  it('waits for another transaction that creates the same account', async () => {
    const other = await pool.connect()
    for (const [end, id] of [
      ['commit', 'waits-1'],
      ['rollback', 'waits-2'],
    ] as const) {
      await Promise.all([client.query('begin'), other.query('begin')])
      await ensure(other, id)
      const second = ensure(client, id)
      await waiting(pool, 1)
      await other.query(end)
      expect(await second).toEqual({ created: end === 'commit' ? [] : [id], deleted: [] })
      await client.query('commit')
      expect(await store.accounts.find(id)).toEqual({ id, name: id })
      const all = { mode: undefined, objectId: undefined, before: undefined, limit: 9 }
      expect(await store.audit.list({ ...all, accountId: id })).toHaveLength(1)
    }
    other.release()
  })

  it('reports a conflict for opposite orders, and in a repeatable read transaction', async () => {
    const other = await pool.connect()
    await Promise.all([client.query('begin'), other.query('begin')])
    await client.query(`set local deadlock_timeout = '1ms'`)
    await ensure(client, 'order-1')
    await ensure(other, 'order-2')
    const behind = ensure(other, 'order-1')
    await waiting(pool, 1)
    await expect(ensure(client, 'order-2')).rejects.toMatchObject({ code: 'TRANSACTION_CONFLICT' })
    await client.query('rollback')
    await behind
    await other.query('rollback')
    await client.query('begin isolation level repeatable read; select pg_current_xact_id()')
    await ensure(other, 'seen-too-late').catch(() => undefined)
    await store.accounts.createAccounts([{ id: 'seen-too-late', name: 'S', entry: ENTRY }])
    await expect(ensure(client, 'seen-too-late')).rejects.toMatchObject({ code: 'TRANSACTION_CONFLICT' })
    other.release()
  })
})

describe('a tx that is no SQL client', () => {
  it.each([
    [
      'answers with a bare array',
      (asked: PoolClient) => ({ query: async (text: string) => (await asked.query(text)).rows }),
    ],
    ['answers with nothing', () => ({ query: () => undefined })],
    ['is a promise of a client', async (asked: PoolClient) => asked],
    ['is a function with another interface', () => Object.assign(() => undefined, { raw: () => undefined })],
    ['is a string', () => 'begin'],
  ])('is refused before anything is stored: one that %s', async (_, wrong) => {
    const before = await events()
    await client.query('begin; select pg_current_xact_id()')
    // @ts-expect-error because the types refuse it too
    const tx: SqlClient = wrong(client)
    await expect(store.events.publishDrafts([eventDraft()], tx)).rejects.toMatchObject(NO_CLIENT)
    await client.query('commit')
    expect(await events()).toBe(before)
  })

  it('is looked at once for each class of clients', async () => {
    const asked: string[] = []
    class Wrapper {
      query(text: string, values?: unknown[]) {
        asked.push(text)
        return client.query(text, values)
      }
    }
    await client.query('begin; select pg_current_xact_id()')
    for (const statements of [2, 3]) {
      await store.events.publishDrafts([eventDraft()], new Wrapper())
      expect(asked).toHaveLength(statements)
    }
  })
})
