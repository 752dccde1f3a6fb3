import { randomBytes } from 'node:crypto'
import { createId, type KeyRecord, type RateLimits } from '@callboard/core'
import { type RequestOf, uuidFromId } from '@callboard/core/store'
import { ENTRY } from '@callboard/store-conformance'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import { Client, Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migratedPool } from '../../testing/migrated-store.ts'
import { createPostgresStore, type PostgresStore } from '../postgres-store.ts'

const LIMITS: RateLimits = [
  { seconds: 1, limit: 10_000 },
  { seconds: 10, limit: 10_000 },
  { seconds: 60, limit: 10_000 },
]
const PAGE = { type: undefined, after: undefined, limit: 5, horizonMs: 1e9 } as const

let server: TestPostgres
let pool: Pool
let store: PostgresStore

beforeAll(async () => {
  server = await startPostgres()
  ;({ pool, store } = await migratedPool(server))
})

afterAll(() => server.stop())

async function addKey(): Promise<{ key: KeyRecord; request: RequestOf<'admission', 'admitRequest'> }> {
  const tokenHash = new Uint8Array(randomBytes(32))
  const issued = await store.keys.issueKey(
    {
      accountId: 'a',
      mode: 'live',
      name: 'k',
      scopes: ['webhooks.read'],
      limits: undefined,
      apiVersion: '2026-10-01',
      expiresAt: undefined,
      id: createId('key'),
      tokenHash,
    },
    500,
    ENTRY,
  )
  if (issued.outcome !== 'issued') throw new Error(`no key was issued: ${issued.outcome}`)
  return { key: issued.key, request: { tokenHash, limits: LIMITS } }
}

describe('requests that arrive at the same time', () => {
  it('are judged one by one: an invalid request does not make the others fail', async () => {
    const { request } = await addKey()
    const [wrong, right] = await Promise.allSettled([
      store.admission.admitRequest({ ...request, page: { ...PAGE, after: { occurredAt: 0, id: 'evt_1' } } }),
      store.admission.admitRequest({ ...request, page: PAGE }),
    ])
    expect([wrong.status, right.status]).toEqual(['rejected', 'fulfilled'])
  })

  it('all fail while the database has not been migrated, and are admitted once it has', async () => {
    const { request } = await addKey()
    const three = () => Promise.allSettled(Array.from({ length: 3 }, () => store.admission.admitRequest(request)))
    await pool.query('alter function callboard.admit_requests rename to not_yet')
    const failed = await three()
    await pool.query('alter function callboard.not_yet rename to admit_requests')
    expect(failed).toMatchObject(
      Array.from({ length: 3 }, () => ({ status: 'rejected', reason: { code: 'CONFIGURATION_INVALID' } })),
    )
    expect(await three()).toMatchObject(
      Array.from({ length: 3 }, () => ({ status: 'fulfilled', value: { outcome: 'admitted' } })),
    )
  })

  it('are all admitted if there is room, on any number of nodes, and never deadlock', async () => {
    const nodes = Array.from({ length: 4 }, () => createPostgresStore({ pool: new Pool(pool.options) }))
    for (let rounds = 0; rounds < 20; rounds++) {
      const keys = await Promise.all(Array.from({ length: 6 }, addKey))
      const asked = nodes.flatMap(({ admission }, n) =>
        (n % 2 === 0 ? keys : keys.toReversed()).flatMap(({ request }) => [
          admission.admitRequest(request),
          admission.admitRequest({ ...request, page: PAGE }),
        ]),
      )
      expect((await Promise.all(asked)).filter(({ outcome }) => outcome !== 'admitted')).toEqual([])
    }
    const { rows } = await pool.query('select deadlocks::int from pg_stat_database where datname = current_database()')
    expect(rows).toEqual([{ deadlocks: 0 }])
  })
})

describe('a key, its account and its windows', () => {
  it('are found by their indexes, even if their tables were small when the session planned the lookup', async () => {
    const { key, request } = await addKey()
    await store.admission.admitRequest(request)
    await pool.query('vacuum analyze callboard.api_keys, callboard.accounts, callboard.rate_windows')
    // A new session plans the lookup now, while the tables are small.
    const client = new Client(pool.options)
    await client.connect()
    await client.query('begin')
    await client.query(
      `select decision from callboard.admit_requests(array[$1, repeat('0', 64)], '{1,10,60,1,10,60}', '{9,9,9,9,9,9}')`,
      [Buffer.from(request.tokenHash).toString('hex')],
    )
    const { rows } = await client.query(
      `select relname, pg_stat_get_xact_numscans(oid)::int as scans from pg_class
       where relnamespace = 'callboard'::regnamespace and relname in ('api_keys', 'accounts', 'rate_windows')
       order by relname`,
    )
    const { rows: counted } = await client.query('select used1 from callboard.rate_windows where key_id = $1', [
      uuidFromId('key', key.id),
    ])
    await client.query('rollback')
    await client.end()
    expect(counted).toHaveLength(1)
    expect(rows).toEqual([
      { relname: 'accounts', scans: 0 },
      { relname: 'api_keys', scans: 0 },
      { relname: 'rate_windows', scans: 0 },
    ])
  })
})
