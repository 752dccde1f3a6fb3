import { createId } from '@callboard/core'
import { type EventDraft, FAILING_RULE } from '@callboard/core/store'
import {
  createSubscription,
  disableSubscription,
  ENTRY,
  enableSubscription,
  leaseDue,
  newImport,
} from '@callboard/store-conformance'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import type { Pool, PoolClient } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventDraft, newSubscription, settled } from '../../testing/inputs.ts'
import { migratedPool, waiting } from '../../testing/migrated-store.ts'
import type { PostgresStore } from '../postgres-store.ts'

const KEPT = {
  eventsMs: 1e12,
  attemptsMs: 1e12,
  responsesMs: 1e12,
  subscriptionsMs: 1e12,
  auditMs: 1e12,
  maxResponses: 1e9,
}
const LIMITS = [
  { seconds: 1, limit: 40 },
  { seconds: 10, limit: 250 },
  { seconds: 60, limit: 800 },
] as const
const LIVE = {
  mode: 'live',
  name: 'k',
  scopes: [],
  limits: undefined,
  apiVersion: '2026-10-01',
  expiresAt: undefined,
} as const

let server: TestPostgres
let pool: Pool
let store: PostgresStore
/** Each test deletes an account of its own. */
let accountId: string

beforeAll(async () => {
  server = await startPostgres()
  ;({ pool, store } = await migratedPool(server))
})

afterAll(() => server.stop())

beforeEach(async () => {
  accountId = createId('evt')
  await store.accounts.createAccounts([{ id: accountId, name: 'A', entry: ENTRY }])
})

/** Begins a transaction with a statement. The returned function rolls it back. */
async function hold(sql: string, values: unknown[] = [accountId]): Promise<() => Promise<void>> {
  const client = await begin()
  await client.query(sql, values)
  return () => end(client, 'rollback')
}

async function begin(): Promise<PoolClient> {
  const client = await pool.connect()
  await client.query('begin')
  return client
}

async function end(client: PoolClient, how: 'commit' | 'rollback'): Promise<void> {
  await client.query(how)
  client.release()
}

function draft(subject?: string): EventDraft {
  return { ...eventDraft(subject), accountId }
}

async function subscribe() {
  const subscription = newSubscription({ accountId })
  await createSubscription(store, subscription)
  return subscription
}

async function issueKey() {
  const key = { ...LIVE, accountId, id: createId('key'), tokenHash: crypto.getRandomValues(new Uint8Array(32)) }
  await store.keys.issueKey(key, 10, ENTRY)
  return key
}

/** The number of the account's rows in each table that has some. Entries of the audit trail outlive their account. */
async function remains(): Promise<Record<string, number>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select table_name as name from information_schema.columns
     where table_schema = 'callboard' and column_name = 'account_id' and table_name <> 'audit_entries' order by 1`,
  )
  expect(tables.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['api_keys', 'outbox', 'rate_windows', 'subjects']),
  )
  const counts: Record<string, number> = {}
  for (const { name } of tables) {
    const { rows } = await pool.query(`select from callboard.${name} where account_id = $1`, [accountId])
    if (rows.length > 0) counts[name] = rows.length
  }
  return counts
}

async function retain(): Promise<void> {
  for (;;) if ((await store.maintenance.retain(KEPT, 2)).state === 'done') return
}

/** Deletes the account while `work` waits for a lock. Releases the lock once the deletion waits too, or has ended. */
async function deleteBeside(work: Promise<unknown>, release: () => Promise<void>): Promise<void> {
  await waiting(pool, 1)
  const deleting = store.accounts.delete(accountId, ENTRY)
  await Promise.race([waiting(pool, 2), deleting])
  await release()
  await work
  expect(await deleting).toBe(true)
}

describe('no row remains of an account that is deleted during', () => {
  it('the enabling of a subscription', async () => {
    const subscription = await subscribe()
    await store.events.publishDrafts([draft()])
    await disableSubscription(store, subscription)
    const release = await hold('select 1 from callboard.subscriptions where account_id = $1 for update')
    await deleteBeside(enableSubscription(store, subscription, ['platform']), release)
    expect(await remains()).toEqual({})
  })

  it('the creation of a subscription', async () => {
    const identity = new Uint8Array(32)
    // This row has the same identity, so the creation waits until this transaction ends.
    const release = await hold(
      `insert into callboard.subscriptions (account_id, mode, id, source, identity, target_url, event_types, integration,
        api_version, secret) values ($1, 'live', gen_random_uuid(), 'dashboard', $2, '', '{}', '', '', '')`,
      [accountId, identity],
    )
    await deleteBeside(createSubscription(store, newSubscription({ accountId, identity })), release)
    expect(await remains()).toEqual({})
  })

  it('the import of a subscription', async () => {
    const item = newImport({ id: accountId })
    // This row has the same id, so the import waits until this transaction ends.
    const release = await hold(
      `insert into callboard.subscriptions (account_id, mode, id, own_id, source, target_url, event_types, integration,
        api_version, secret) values ('b', 'live', gen_random_uuid(), $1, 'api', '', '{}', '', '', '')`,
      [item.id],
    )
    const limits = { total: 10, dryRun: false }
    await deleteBeside(store.subscriptions.importSubscriptions([item], limits), release)
    expect(await remains()).toEqual({})
  })

  it('the settlement of the last attempt of a delivery', async () => {
    await subscribe()
    const event = draft()
    await store.events.publishDrafts([event])
    await store.deliveries.sequence(10)
    const [lane] = await leaseDue(store)
    const attempt = {
      id: createId('att'),
      eventId: event.id,
      number: 9,
      outcome: 'exhausted' as const,
      status: 500,
      reason: undefined,
      durationMs: 1,
      response: undefined,
    }
    const release = await hold('select 1 from callboard.lanes where account_id = $1 for update')
    const settling = store.deliveries.settle(
      [{ ...settled(lane!), attempts: [attempt], ended: [event.id] }],
      FAILING_RULE,
    )
    await deleteBeside(settling, release)
    expect(await remains()).toEqual({})
  })

  it('the issue of a key', async () => {
    const key = { ...LIVE, accountId, id: createId('key'), tokenHash: new Uint8Array(32).fill(1) }
    const release = await hold(
      `insert into callboard.api_keys (account_id, id, mode, name, scopes, api_version, token_hash)
       values ($1, gen_random_uuid(), 'live', '', '{}', 'v', $2)`,
      [accountId, key.tokenHash],
    )
    await deleteBeside(store.keys.issueKey(key, 10, ENTRY), release)
    expect(await remains()).toEqual({})
  })

  it('the rotation of a key', async () => {
    const { id } = await issueKey()
    const successor = { id: createId('key'), tokenHash: new Uint8Array(32).fill(2), expiresAt: undefined }
    const release = await hold(
      `insert into callboard.api_keys (account_id, id, mode, name, scopes, api_version, token_hash)
       values ($1, gen_random_uuid(), 'live', '', '{}', 'v', $2)`,
      [accountId, successor.tokenHash],
    )
    await deleteBeside(store.keys.rotateKey({ accountId, keyId: id, successor, overlapMs: 1_000 }, ENTRY), release)
    expect(await remains()).toEqual({})
  })

  it('the first request of a key', async () => {
    const { tokenHash } = await issueKey()
    const { rows } = await pool.query('select account_id, id from callboard.api_keys where account_id = $1', [
      accountId,
    ])
    const ids = rows.flatMap(({ account_id, id }) => [account_id, id])
    const release = await hold('insert into callboard.rate_windows values ($1, $2, 0, 0, 0, 0, 0, 0)', ids)
    await deleteBeside(store.admission.admitRequest({ tokenHash, limits: LIMITS }), release)
    expect(await remains()).toEqual({})
  })

  it('a request that first finds the windows of its key deleted, and then the key itself', async () => {
    const { tokenHash } = await issueKey()
    const admit = () => store.admission.admitRequest({ tokenHash, limits: LIMITS })
    await admit()
    const { rows } = await pool.query('select account_id, id from callboard.api_keys where account_id = $1', [
      accountId,
    ])
    const ids = rows.flatMap(({ account_id, id }) => [account_id, id])
    const holder = await begin()
    await holder.query('delete from callboard.rate_windows where account_id = $1 and key_id = $2', ids)
    const admitting = admit()
    await deleteBeside(admitting, () => end(holder, 'commit'))
    expect(await admitting).toEqual({ outcome: 'unknown' })
    expect(await remains()).toEqual({})
  })

  it('the resend of a delivery', async () => {
    const subscription = await subscribe()
    const event = draft()
    await store.events.publishDrafts([event])
    await store.deliveries.sequence(10)
    const [lane] = await leaseDue(store)
    await store.deliveries.settle([settled(lane!)], FAILING_RULE)
    const release = await hold('select 1 from callboard.lanes where account_id = $1 for update')
    await deleteBeside(store.deliveryLog.resend(subscription, event.id, ENTRY), release)
    expect(await remains()).toEqual({})
  })
})

describe('the deletion of an account for which an open transaction has published', () => {
  it('does not wait for that transaction, and retention removes what the transaction commits later', async () => {
    await subscribe()
    // The transaction locks the counter of a subject that exists, and adds a subject.
    await store.events.publishDrafts([draft('known')])
    await store.deliveries.sequence(10)
    const platform = await begin()
    await store.events.publishDrafts([draft('known'), draft('new')], platform)
    expect(await store.accounts.delete(accountId, ENTRY)).toBe(true)
    await retain()
    expect(await remains()).toEqual({ subjects: 1 })
    await end(platform, 'commit')
    expect(await remains()).toEqual({ events: 2, outbox: 2, subjects: 2 })
    await retain()
    expect(await remains()).toEqual({})
  })

  it('leaves nothing behind, even if the late events have been sequenced', async () => {
    const platform = await begin()
    await store.events.publishDrafts([draft(), draft(), draft()], platform)
    await store.accounts.delete(accountId, ENTRY)
    await end(platform, 'commit')
    expect((await store.deliveries.sequence(10)).sequenced).toBe(3)
    await retain()
    expect(await remains()).toEqual({})
  })
})

describe('a deletion that was interrupted', () => {
  it('is finished by retention in every table, and leaves other accounts alone', async () => {
    const kept = { ...(await subscribe()), accountId }
    await issueKey()
    await store.events.publishDrafts([draft()])
    const before = await remains()
    accountId = createId('evt')
    await store.accounts.createAccounts([{ id: accountId, name: 'B', entry: ENTRY }])
    await subscribe()
    const { tokenHash } = await issueKey()
    await store.admission.admitRequest({ tokenHash, limits: LIMITS })
    await store.events.publishDrafts([draft(), draft()])
    const { rows } = await pool.query(
      `select table_name as name from information_schema.columns
       where table_schema = 'callboard' and column_name = 'account_id'
         and table_name not in ('retention', 'audit_entries')`,
    )
    // Adds a row to each table, with a value for each column that requires one.
    for (const { name } of rows) await fill(name)
    expect(Object.keys(await remains())).toHaveLength(rows.length)
    await pool.query('update callboard.accounts set deleted_at = callboard.clock() where id = $1', [accountId])
    await retain()
    expect(await remains()).toEqual({})
    accountId = kept.accountId
    expect(await remains()).toEqual(before)
  })
})

/** Values for columns that have no default, by their types. */
const VALUES: Readonly<Record<string, string>> = {
  text: `'x'`,
  uuid: 'gen_random_uuid()',
  bytea: `'x'`,
  'text[]': `'{}'`,
  bigint: '1',
  integer: '1',
  smallint: '1',
  'timestamp with time zone': 'now()',
  pg_snapshot: 'pg_current_snapshot()',
}
const CHECKED: Readonly<Record<string, string>> = { mode: `'test'`, source: `'api'`, state: `'expired'` }

/** Inserts a row of the account into a table. */
async function fill(table: string): Promise<void> {
  const { rows } = await pool.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, null) as type from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attnotnull and not atthasdef
       and attidentity = ''`,
    [`callboard.${table}`],
  )
  const values = rows.map(({ name, type }) => (name === 'account_id' ? '$1' : (CHECKED[name] ?? VALUES[type] ?? type)))
  await pool.query(`insert into callboard.${table} (${rows.map(({ name }) => name)}) values (${values})`, [accountId])
}
