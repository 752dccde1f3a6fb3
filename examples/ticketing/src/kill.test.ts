import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ExampleProcess, startExample, startTarget, type Target } from '@callboard-examples/smoke'
import { afterEach, beforeEach, expect, it } from 'vitest'
import * as z from 'zod'
import type { Database } from './database/database.ts'
import { openPgliteDatabase } from './database/pglite-database.ts'
import { DEMO_ACCOUNT } from './demo-account.ts'

const command = [process.execPath, 'examples/node/src/main.ts'] as const
const subscription = z.object({ id: z.string(), secret: z.string() })
const health = z.object({ worker: z.object({ lanes: z.int() }) })

let dataDir: string
let target: Target
let example: ExampleProcess | undefined

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'callboard-kill-'))
  target = await startTarget()
})

afterEach(async () => {
  await example?.signal('SIGKILL')
  await target.close()
  await rm(dataDir, { recursive: true, force: true })
})

const start = (): Promise<ExampleProcess> =>
  startExample({ command, dataDir, environment: { NODE_EXTRA_CA_CERTS: target.certificateFile } })

/** Waits until every delivery is recorded: the worker then holds no subscription's lane. */
async function settled(running: ExampleProcess): Promise<void> {
  await expect
    .poll(async () => health.parse((await running.call('GET', '/health')).body).worker.lanes, { timeout: 60_000 })
    .toBe(0)
}

async function whileDown<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
  const database = await openPgliteDatabase(dataDir)
  const result = await work(database)
  await database.close()
  return result
}

async function deliveredOf({ store }: Database, subscriptionId: string): Promise<string[]> {
  const ref = { accountId: DEMO_ACCOUNT, mode: 'live', id: subscriptionId } as const
  const attempts = await store.deliveryLog.attempts(ref, { eventId: undefined, before: undefined, limit: 100 })
  return attempts.flatMap(({ eventId, outcome }) => (outcome === 'delivered' ? [eventId] : []))
}

/**
 * Extends by a day the lease that the killed worker held. If the next start waits for the lease to expire, the test
 * fails.
 */
async function prolongLeases(database: Database): Promise<void> {
  const prolonged = await database.query(
    z.unknown(),
    `update callboard.lanes set wake_at = wake_at + interval '1 day' where state = 'leased' returning 1`,
  )
  expect(prolonged).toHaveLength(1)
}

it('the platform loses nothing in a kill -9, and after its restart immediately repeats only unrecorded deliveries', {
  timeout: 240_000,
}, async () => {
  example = await start()
  const { body } = await example.call('POST', '/v1/webhooks/subscriptions', {
    body: { targetUrl: target.url, eventTypes: ['order.paid'], integration: 'other' },
  })
  const { id, secret } = subscription.parse(body)
  target.trust(secret)

  const before = [await example.sell(), await example.sell(), await example.sell()]
  for (const event of before) await target.received(event)
  await settled(example)
  target.hold()
  const [first, second] = [await example.sell(), await example.sell()]
  await target.received(first)
  await example.signal('SIGKILL')

  const delivered = await whileDown(async (database) => {
    await prolongLeases(database)
    return deliveredOf(database, id)
  })
  expect(delivered.sort()).toEqual([...before].sort())

  target.answer()
  const { key } = example
  example = await start()
  expect(example.output()).toContain('found 5 orders from earlier starts')
  expect(example.key).toBeUndefined()
  const after = await example.sell()
  await target.received(after)
  await target.received(second)
  await settled(example)

  expect(before.map((event) => target.countOf(event))).toEqual([1, 1, 1])
  expect(target.countOf(first)).toBeGreaterThanOrEqual(2)
  expect(await example.call('GET', '/v1/events', { token: key })).toMatchObject({
    status: 200,
    body: { data: [after, second, first, ...before.reverse()].map((event) => ({ id: event })) },
  })
})
