import { createCallboard, isCallboardError } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { createPostgresStore, migrate } from '@callboard/store-postgres'
import { type FaultProxy, startFaultProxy, startPostgres, type TestPostgres } from '@callboard/testbed'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callerOf, envelopes, issueKey, orderPaidEvent, thrownBy } from './arrange.ts'
import { facadeOptions, type SampleCallboard } from './on-each-store.ts'
import { memoryFixture } from './stores.ts'

const INPUT = { targetUrl: 'https://hooks.example.com/1', eventTypes: ['order.paid'], integration: 'zapier' }

/** Retries like a platform, because any connection in the pool may have ended. */
async function again<Result>(verb: () => Promise<Result>): Promise<Result> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await verb()
    } catch (error) {
      if (attempts === 20 || !isCallboardError(error, 'UNAVAILABLE')) throw error
    }
  }
}

describe('a database out of reach', () => {
  let server: TestPostgres
  let stopped = false
  const stopServer = async (): Promise<void> => {
    if (!stopped) await server.stop()
    stopped = true
  }
  let line: FaultProxy
  let lineUrl: string
  let pool: Pool
  let callboard: SampleCallboard
  const heard: unknown[] = []

  beforeAll(async () => {
    server = await startPostgres()
    const url = await server.createDatabase()
    line = await startFaultProxy(url)
    lineUrl = line.through(url)
    pool = new Pool({ connectionString: lineUrl })
    const store = createPostgresStore({ pool })
    callboard = createCallboard({
      ...facadeOptions(await memoryFixture()),
      store,
      onError: (error) => heard.push(error),
    })
  })

  afterAll(async () => {
    await pool.end()
    await line.stop()
    await stopServer()
  })

  it('is distinguished from a database without migrations, whose error explains what to do', async () => {
    await expect(callboard.health()).resolves.toEqual({
      ok: false,
      problem: expect.stringContaining('migrate()'),
      outbox: undefined,
      missingVersions: [],
    })
    const client = await pool.connect()
    await migrate(client)
    client.release()
    await expect(callboard.health()).resolves.toEqual({
      ok: true,
      problem: undefined,
      outbox: { events: 0, oldestMs: 0 },
      missingVersions: [],
    })
  })

  it('fails every call as UNAVAILABLE with retryAfter 1, is reported by health, and recovers', async () => {
    await callboard.accounts.create({ id: 'acc', name: 'Acme' })
    const key = await issueKey(callboard)
    const caller = await callerOf(callboard, key.token)
    const subscription = await engineOf(callboard).apiSubscriptions.create(caller, INPUT)
    await callboard.publish(orderPaidEvent())

    await line.refuse()
    const { accounts, keys, events, subscriptions, deliveries, versions } = callboard
    const { admissions, apiSubscriptions, eventTexts } = engineOf(callboard)
    const verbs: Record<string, () => Promise<unknown>> = {
      'accounts.create': () => accounts.create({ id: 'new', name: 'New' }),
      'accounts.find': () => accounts.find({ id: 'acc' }),
      'accounts.rename': () => accounts.rename({ id: 'acc', name: 'Lost' }),
      'accounts.delete': () => accounts.delete({ id: 'acc' }),
      'keys.issue': () => issueKey(callboard),
      'keys.list': () => keys.list({ accountId: 'acc' }),
      'keys.rotate': () => keys.rotate({ accountId: 'acc', id: key.id }),
      'keys.setApiVersion': () => keys.setApiVersion({ accountId: 'acc', id: key.id, apiVersion: '2026-10-01' }),
      'keys.revoke': () => keys.revoke({ accountId: 'acc', id: key.id }),
      publish: () => callboard.publish(orderPaidEvent()),
      'publish by key': () => callboard.publish(orderPaidEvent({ idempotencyKey: 'k' })),
      'events.page': () => events.page({ accountId: 'acc' }),
      'events.find': () => events.find({ accountId: 'acc', id: 'evt_01jb2c3d4e5f6g7h8j9k0mnpqr' }),
      'apiSubscriptions.create': () => apiSubscriptions.create(caller, INPUT),
      'eventTexts.read': () => eventTexts.read(caller, 'evt_01jb2c3d4e5f6g7h8j9k0mnpqr'),
      'apiSubscriptions.list': () => apiSubscriptions.list(caller, {}),
      'apiSubscriptions.find': () => apiSubscriptions.find(caller, subscription.id),
      'apiSubscriptions.change': () => apiSubscriptions.change(caller, subscription.id, { apiVersion: '2026-10-01' }),
      'apiSubscriptions.remove': () => apiSubscriptions.remove(caller, subscription.id),
      'subscriptions.create': () => subscriptions.create({ accountId: 'acc', ...INPUT }),
      'subscriptions.enable': () => subscriptions.enable({ ...subscription, by: 'platform' }),
      'subscriptions.remove': () => subscriptions.remove({ ...subscription, by: 'platform' }),
      'subscriptions.list': () => subscriptions.list({ accountId: 'acc' }),
      'subscriptions.rotateSecret': () => subscriptions.rotateSecret({ ...subscription, by: 'platform' }),
      'deliveries.attempts': () => deliveries.attempts({ ...subscription, subscriptionId: subscription.id }),
      'deliveries.list': () => deliveries.list({ accountId: subscription.accountId, subscriptionId: subscription.id }),
      'deliveries.resend': () =>
        deliveries.resend({
          ...subscription,
          subscriptionId: subscription.id,
          eventId: 'evt_01jb2c3d4e5f6g7h8j9k0mnpqr',
        }),
      'deliveries.countRange': () =>
        deliveries.countRange({ ...subscription, subscriptionId: subscription.id, from: new Date(0) }),
      'subscriptions.history': () => subscriptions.history(subscription),
      'versions.list': () => versions.list(),
      'versions.move': () => versions.move({ from: '2026-01-01', to: '2026-10-01' }),
      'admissions.admit': () => admissions.admit(`Bearer ${key.token}`),
      'admissions.admitToEvents': () => admissions.admitToEvents(`Bearer ${key.token}`, {}),
    }
    for (const [name, verb] of Object.entries(verbs)) {
      const error = await thrownBy(verb())
      expect(error, name).toMatchObject({ name: 'CallboardError', code: 'UNAVAILABLE', retryAfter: 1 })
      // The message may be shown to callers, so it must name no host or port and contain no SQL.
      expect(String(error), name).not.toMatch(/127\.0\.0\.1|\d{4,}|select|insert|callboard\./)
    }
    heard.length = 0
    await expect(callboard.health()).resolves.toEqual({
      ok: false,
      problem: expect.stringContaining('cannot be reached'),
      outbox: undefined,
      missingVersions: [],
    })
    expect(heard).toMatchObject([{ code: 'UNAVAILABLE' }])
    // A malformed key is refused without asking the database.
    await expect(admissions.admit('Bearer nonsense')).resolves.toEqual({ outcome: 'refused', credentials: 'invalid' })

    await line.pass()
    await expect(callboard.health()).resolves.toMatchObject({ ok: true, outbox: { events: 1 } })
    await expect(accounts.find({ id: 'acc' })).resolves.toEqual({ id: 'acc', name: 'Acme' })
    await expect(admissions.admit(`Bearer ${key.token}`)).resolves.toMatchObject({ outcome: 'admitted' })
    await expect(callboard.publish(orderPaidEvent())).resolves.toMatchObject({ subject: { sequence: 2 } })
    await expect(envelopes(callboard)).resolves.toHaveLength(2)
  })

  it('loses nothing committed and keeps nothing uncommitted when connections end during publishing', async () => {
    await callboard.accounts.create({ id: 'busy', name: 'Busy' })
    const admin = new Pool({ connectionString: lineUrl, max: 1 })
    admin.on('error', () => undefined)
    const results: PromiseSettledResult<unknown>[] = []
    const publishers = Array.from({ length: 8 }, async (_, publisher) => {
      for (let index = 0; index < 25; index++) {
        const event = orderPaidEvent({ accountId: 'busy', idempotencyKey: `${publisher} ${index}` })
        results.push(...(await Promise.allSettled([callboard.publish(event)])))
        if (publisher === 0 && index % 5 === 4)
          await admin.query(
            'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
          )
      }
    })
    await Promise.all(publishers)
    await admin.end()
    const failed = results.filter((result) => result.status === 'rejected')
    for (const { reason } of failed) expect(reason).toMatchObject({ code: 'UNAVAILABLE' })
    for (let publisher = 0; publisher < 8; publisher++)
      for (let index = 0; index < 25; index++)
        await again(() =>
          callboard.publish(orderPaidEvent({ accountId: 'busy', idempotencyKey: `${publisher} ${index}` })),
        )
    const next = await callboard.publish(orderPaidEvent({ accountId: 'busy', idempotencyKey: 'next' }))
    expect(next.subject.sequence).toBe(201)
  })

  // Must be the last test, because the server does not come back.
  it('is reported by health when the server itself has stopped', async () => {
    await expect(callboard.health()).resolves.toMatchObject({ ok: true })
    await stopServer()
    await expect(callboard.health()).resolves.toMatchObject({ ok: false, outbox: undefined })
    await expect(callboard.publish(orderPaidEvent())).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })
})

describe('health of a store within reach', () => {
  it('is ok for the memory store, and includes the number of events that are not sequenced yet', async () => {
    const callboard: SampleCallboard = createCallboard(facadeOptions(await memoryFixture()))
    await callboard.accounts.create({ id: 'acc', name: 'Acme' })
    await callboard.publish(orderPaidEvent())
    await expect(callboard.health()).resolves.toMatchObject({ ok: true, outbox: { events: 1 } })
    await engineOf(callboard).store.deliveries.sequence(10)
    await expect(callboard.health()).resolves.toMatchObject({ ok: true, outbox: { events: 0, oldestMs: 0 } })
  })
})
