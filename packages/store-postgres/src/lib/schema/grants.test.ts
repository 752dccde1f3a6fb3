import { createId } from '@callboard/core'
import { FAILING_RULE } from '@callboard/core/store'
import { createSubscription, ENTRY, leaseDue, removeSubscription } from '@callboard/store-conformance'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPostgresStore, grantsSql, migrate, type PostgresStore } from '../../index.ts'
import { eventDraft, newSubscription } from '../../testing/inputs.ts'

const ROLES = {
  publisher: 'cb_publisher',
  api: 'cb_api',
  worker: 'cb_worker',
  provisioner: 'cb_provisioner',
} as const
const LIMITS = [
  { seconds: 1, limit: 40 },
  { seconds: 10, limit: 250 },
  { seconds: 60, limit: 800 },
] as const
const REPORT = { waiting: { lanes: 1, accounts: 1 }, heldBack: [] }
const TOKEN_HASH = new Uint8Array(32).fill(1)

let server: TestPostgres
let owner: PostgresStore
let ownersPool: Pool
let stores: Record<keyof typeof ROLES, PostgresStore>
const pools: Pool[] = []

beforeAll(async () => {
  server = await startPostgres()
  const url = await server.createDatabase()
  const open = (connectionString: string): Pool => {
    const pool = new Pool({ connectionString })
    pools.push(pool)
    return pool
  }
  const pool = open(url)
  const client = await pool.connect()
  await migrate(client)
  for (const role of Object.values(ROLES))
    await client.query(
      `do $$ begin create role ${role} login password 'x'; exception when duplicate_object then null; end $$`,
    )
  await client.query(grantsSql(ROLES))
  await client.query(grantsSql(ROLES))
  client.release()
  const storeOf = (role: string): PostgresStore => {
    const as = new URL(url)
    as.username = role
    as.password = 'x'
    return createPostgresStore({ pool: open(as.href) })
  }
  ownersPool = pool
  owner = createPostgresStore({ pool })
  stores = {
    publisher: storeOf(ROLES.publisher),
    api: storeOf(ROLES.api),
    worker: storeOf(ROLES.worker),
    provisioner: storeOf(ROLES.provisioner),
  }
})

afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()))
  await server.stop()
})

/** Runs retention with the shortest horizons until nothing is left to remove. */
async function retainNothing({ maintenance }: PostgresStore): Promise<void> {
  const horizons = { eventsMs: 1, attemptsMs: 1, responsesMs: 1, subscriptionsMs: 1, auditMs: 1, maxResponses: 1 }
  for (let steps = 0; steps < 20; steps++) if ((await maintenance.retain(horizons, 100)).state === 'done') return
  throw new Error('retention does not end')
}

const ALL_KEYS = { mode: undefined, after: undefined, limit: 5 } as const

describe('the grants', () => {
  it('suffice for publisher, API and worker, each with its own role', async () => {
    await owner.accounts.createAccounts([{ id: 'a', name: 'A', entry: ENTRY }])
    const scopes = ['webhooks.read', 'webhooks.write'] as const
    const keyId = createId('key')
    await owner.keys.issueKey(
      {
        id: keyId,
        accountId: 'a',
        mode: 'live',
        name: 'k',
        scopes,
        limits: undefined,
        apiVersion: '2026-10-01',
        expiresAt: undefined,
        tokenHash: TOKEN_HASH,
      },
      1,
      ENTRY,
    )

    await stores.api.ready()
    const request = { tokenHash: TOKEN_HASH, limits: LIMITS }
    expect(await stores.api.admission.admitRequest(request)).toMatchObject({ outcome: 'admitted' })
    expect(await stores.api.admission.identify(TOKEN_HASH)).toBeDefined()
    const subscription = newSubscription({
      source: 'api',
      identity: TOKEN_HASH,
      confirmedBy: keyId,
      personalData: undefined,
    })
    expect(await createSubscription(stores.api, subscription)).toMatchObject({ outcome: 'created' })
    expect(await stores.api.health.findWithHealth(subscription)).toMatchObject({ health: { heldBack: undefined } })

    expect(await stores.publisher.events.publishDrafts([eventDraft('o1')])).toMatchObject([{ outcome: 'stored' }])
    expect(await stores.publisher.events.publishDrafts([eventDraft('o1', 'k')])).toMatchObject([{ outcome: 'stored' }])
    expect(await stores.publisher.events.publishDrafts([eventDraft('o1', 'k')])).toMatchObject([{ outcome: 'known' }])
    const page = { type: undefined, after: undefined, limit: 5, horizonMs: 1e9 }
    const admitted = await stores.api.admission.admitRequest({ ...request, page })
    expect(admitted.outcome === 'admitted' && admitted.page?.events).toHaveLength(2)

    await stores.worker.ready()
    await stores.worker.deliveries.attend({ id: 'dead', name: 'd', details: undefined })
    await ownersPool.query(`update callboard.workers set beat_at = beat_at - interval '1 hour'`)
    expect(await stores.worker.deliveries.attend({ id: 'w', name: 'w', details: REPORT })).toMatchObject({
      takenOver: ['d'],
    })
    expect((await stores.worker.deliveries.sequence(100)).sequenced).toBe(2)
    const [lane] = await leaseDue(stores.worker)
    expect(await stores.worker.deliveries.checkLeases([lane!.lease])).toMatchObject([{ deliverable: true }])
    const [first, second] = lane!.deliveries
    const attempt = {
      id: createId('att'),
      eventId: first!.eventId,
      number: 1,
      outcome: 'gone' as const,
      status: 410,
      reason: undefined,
      durationMs: 1,
      response: undefined,
    }
    const settled = await stores.worker.deliveries.settle(
      [
        {
          lease: lane!.lease,
          settledThrough: lane!.through,
          attempts: [attempt],
          retries: [{ eventId: second!.eventId, attempts: 1, delayMs: 0, suspect: false, redacted: false }],
          ended: [first!.eventId],
          subjects: ['order 1'],
          breakerFailures: 1,
          succeeded: false,
          failedAttempts: 2,
          slow: true,
          pauseMs: 0,
          disable: 'gone',
          keep: false,
        },
      ],
      FAILING_RULE,
    )
    expect(settled).toMatchObject({ fenced: [], disabled: [{ reason: 'gone' }] })
    await stores.worker.deliveries.releaseLeases({ of: 'worker', worker: 'w' })
    await stores.worker.deliveries.sweep()
    await stores.worker.deliveries.releaseLeases({ of: 'all' })
    await stores.worker.subscriptions.sealedSecrets(undefined, 1)
    await stores.worker.deliveries.backlog()
    await stores.worker.subscriptions.typesInUse()

    // The API's role can enable and remove this subscription.
    expect(await createSubscription(stores.api, { ...subscription, id: createId('sub') })).toMatchObject({
      outcome: 'existing',
    })
    expect(await removeSubscription(stores.api, subscription)).toBe('changed')
    expect(
      await stores.api.deliveryLog.attempts(subscription, { eventId: undefined, before: undefined, limit: 5 }),
    ).toHaveLength(1)
    expect(await stores.worker.maintenance.claimRetentionRound(1000)).toBe(true)
    await retainNothing(stores.worker)
  })

  it('suffice for the worker to finish the deletion of an account', async () => {
    const accountId = 'gone'
    await owner.accounts.createAccounts([{ id: accountId, name: 'G', entry: ENTRY }])
    const tokenHash = new Uint8Array(32).fill(2)
    const limits = undefined
    const unused = { limits, expiresAt: undefined, apiVersion: '2026-10-01' } as const
    const key = { accountId, mode: 'live', name: 'k', scopes: [], ...unused, tokenHash } as const
    await owner.keys.issueKey({ ...key, id: createId('key') }, 1, ENTRY)
    await stores.api.admission.admitRequest({ tokenHash, limits: LIMITS })
    await createSubscription(stores.api, newSubscription({ accountId }))
    await stores.publisher.events.publishDrafts([{ ...eventDraft(), accountId }])
    await ownersPool.query('update callboard.accounts set deleted_at = callboard.clock() where id = $1', [accountId])
    await retainNothing(stores.worker)
    expect((await owner.keys.list({ ...ALL_KEYS, accountId })).keys).toEqual([])
    expect(await owner.subscriptions.list(accountId, 'live')).toEqual([])
    expect((await owner.deliveries.sequence(10)).sequenced).toBe(0)
  })

  it('do not let the publisher, the API or the worker do the work of another', async () => {
    const denied = expect.objectContaining({
      code: 'CONFIGURATION_INVALID',
      message: expect.stringMatching(/^The database role lacks a right on table \w+ \(.*grantsSql/),
      cause: expect.objectContaining({ code: '42501' }),
    })
    await expect(stores.publisher.admission.identify(TOKEN_HASH)).rejects.toEqual(denied)
    await expect(stores.publisher.subscriptions.list('a', 'live')).rejects.toEqual(denied)
    await expect(stores.api.events.publishDrafts([eventDraft('o1')])).rejects.toEqual(denied)
    await stores.publisher.events.publishDrafts([eventDraft('o1')])
    await expect(stores.api.deliveries.sequence(1)).rejects.toEqual(denied)
    await expect(stores.api.keys.revokeKey('a', createId('key'), ENTRY)).rejects.toEqual(denied)
    await expect(stores.worker.events.publishDrafts([eventDraft('o1')])).rejects.toEqual(denied)
    await expect(stores.worker.accounts.createAccounts([{ id: 'b', name: 'B', entry: ENTRY }])).rejects.toEqual(denied)
    expect((await stores.worker.keys.list({ ...ALL_KEYS, accountId: 'a' })).keys).toHaveLength(1)
  })

  it('suffice for a provisioner to create accounts and issue keys, and for nothing else', async () => {
    const { accounts, keys, ready, ...others } = stores.provisioner
    await ready()
    const key = {
      ...{ accountId: 'signed-up', mode: 'live' as const, name: 'k', scopes: [], limits: undefined },
      ...{ apiVersion: '2026-10-01', expiresAt: undefined },
    } as const
    await accounts.createAccounts([{ id: 'signed-up', name: 'S', entry: ENTRY }])
    await keys.issueKey({ ...key, id: createId('key'), tokenHash: new Uint8Array(32).fill(3) }, 2, ENTRY)
    expect((await keys.list({ ...ALL_KEYS, accountId: 'signed-up' })).keys).toHaveLength(1)
    const denied = expect.objectContaining({ code: 'CONFIGURATION_INVALID' })
    await expect(accounts.rename({ id: 'signed-up', name: 'T' }, ENTRY)).rejects.toEqual(denied)
    await expect(others.events.publishDrafts([eventDraft('o1')])).rejects.toEqual(denied)
    await expect(
      others.audit.list({ accountId: 'a', mode: undefined, objectId: undefined, before: undefined, limit: 1 }),
    ).rejects.toEqual(denied)
    await expect(others.subscriptions.list('a', 'live')).rejects.toEqual(denied)
    await expect(others.deliveries.sequence(1)).rejects.toEqual(denied)
  })

  it('are named when the role that publishes in a transaction lacks one, or may not use the schema', async () => {
    const client = await ownersPool.connect()
    await client.query('begin; create role cb_nobody; set local role cb_nobody')
    await expect(owner.events.publishDrafts([eventDraft('o1')], client)).rejects.toMatchObject({
      code: 'CONFIGURATION_INVALID',
      message: expect.stringContaining('lacks a right on schema callboard'),
    })
    await client.query('rollback')
    client.release()
  })

  it('refuse a role name that would need quotes', () => {
    expect(() => grantsSql({ ...ROLES, api: 'x; drop schema callboard' })).toThrow('api must be')
  })
})
