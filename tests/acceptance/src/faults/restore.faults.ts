import { createCallboard } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { startWorker, type Worker } from '@callboard/delivery'
import { verify } from '@callboard/signature'
import { createPostgresStore, migrate } from '@callboard/store-postgres'
import {
  type DebianPostgres,
  type Received,
  startDebianPostgres,
  startReceiver,
  type TestReceiver,
} from '@callboard/testbed'
import { Pool } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newCaller, orderPaidEvent } from '../arrange.ts'
import { RING, type SampleCallboard } from '../on-each-store.ts'
import { catalog } from '../sample-catalog.ts'

let server: DebianPostgres
/** The server to restore to. Its transaction ids start afresh. */
let another: DebianPostgres
let receiver: TestReceiver
beforeAll(async () => {
  server = await startDebianPostgres()
  another = await startDebianPostgres()
  receiver = await startReceiver()
})
afterAll(async () => {
  await receiver?.stop()
  await another?.stop()
  await server?.stop()
})

let databases = 0
let pools: Pool[] = []
let workers: Worker[] = []
let url: string
let callboard: SampleCallboard

function open(connectionString: string, keys: Partial<typeof RING> = { k1: RING.k1 }): SampleCallboard {
  const pool = new Pool({ connectionString, max: 5 })
  pool.on('error', () => undefined)
  pools.push(pool)
  const [current = ''] = Object.keys(keys)
  return createCallboard({
    catalog,
    store: createPostgresStore({ pool }),
    secretKeys: { current, keys },
    targets: { allowedCidrs: ['127.0.0.0/8'], allowedPorts: 'any' },
  })
}

async function work(facade: SampleCallboard): Promise<Worker> {
  const worker = await startWorker(facade, { extraCaCertificates: [receiver.ca], pollMs: 5 })
  workers.push(worker)
  return worker
}

/** Dumps the database as it is now, and restores it on the other server. */
async function restore(): Promise<string> {
  const copy = await another.createDatabase(`restored_${++databases}`)
  await server.copy(url, copy)
  return copy
}

async function subscribe(facade: SampleCallboard, path: string): Promise<string> {
  const caller = await newCaller(facade, { scopes: ['webhooks.read', 'webhooks.write'] })
  const input = { targetUrl: receiver.url(path), eventTypes: ['order.paid'] as const, integration: 'zapier' }
  const { id } = await engineOf(facade).apiSubscriptions.create(caller, { ...input, eventTypes: ['order.paid'] })
  return id
}

const publish = async (facade: SampleCallboard): Promise<string> => (await facade.publish(orderPaidEvent())).id
const idOf = ({ headers }: Received): string => String(headers['webhook-id'])

beforeEach(async () => {
  url = await server.createDatabase(`original_${++databases}`)
  callboard = open(url)
  const client = await pools[0]!.connect()
  await migrate(client)
  client.release()
  await callboard.accounts.create({ id: 'acc', name: 'Acme' })
})

afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()))
  await Promise.all(pools.map((pool) => pool.end()))
  pools = []
  workers = []
})

/** Reads the feed, from its end or from a cursor. */
async function readFeed(facade: SampleCallboard, after?: string) {
  const { eventFeed } = engineOf(facade)
  const open = await eventFeed.open({ after }, await newCaller(facade, { scopes: ['webhooks.read'] }))
  const [page] = await eventFeed.read([open])
  if (page === undefined) throw new Error('no page')
  return { ids: page.events.map(({ id }) => id), ...(await eventFeed.render(page, open)) }
}

const sequence = (facade: SampleCallboard) => engineOf(facade).store.deliveries.sequence(100)

describe('a database restored from a dump', () => {
  it('tells readers of the feed that events may be missing, and hides none that it has', async () => {
    const kept = await publish(callboard)
    await sequence(callboard)
    const inDump = await readFeed(callboard)
    const copy = await restore()
    await publish(callboard)
    await sequence(callboard)
    const beyond = await readFeed(callboard, inDump.nextCursor)
    expect(beyond).toMatchObject({ ids: [expect.any(String)], truncated: false })

    const restored = open(copy)
    const fresh = await publish(restored)
    await sequence(restored)
    for (const { nextCursor } of [inDump, beyond]) {
      const page = await readFeed(restored, nextCursor)
      expect(page).toMatchObject({ ids: [kept, fresh], truncated: true })
      expect(await readFeed(restored, page.nextCursor)).toMatchObject({ ids: [], truncated: false })
    }
  })

  it('made under load delivers its events, and repeats only deliveries that were not settled in the dump', async () => {
    const path = '/load'
    await subscribe(callboard, path)
    const worker = await work(callboard)
    const published: string[] = []
    let going = true
    const publishing = (async () => {
      while (going) published.push(await publish(callboard))
    })()
    await receiver.received(path, 50)
    const copy = await restore()
    going = false
    await publishing
    await receiver.received(path, published.length)
    await worker.stop()
    const before = receiver.at(path).length

    const restored = open(copy)
    const counts = async (text: string): Promise<number> => Number((await pools.at(-1)!.query(text)).rows[0].n)
    const known = await counts('select count(*)::int as n from callboard.events')
    const settled = await counts(`select count(*)::int as n from callboard.attempts where outcome = 'delivered'`)
    expect(known).toBeLessThanOrEqual(published.length)
    await work(restored)
    // Deliveries that were settled before the dump are not sent again. All other deliveries in the dump are sent.
    await receiver.received(path, before + known - settled)
    const next = await publish(restored)
    const all = await receiver.received(path, before + known - settled + 1)
    expect(idOf(all.at(-1)!)).toBe(next)
    const again = all.slice(before, -1).map(idOf)
    expect(again.filter((id) => !published.includes(id))).toEqual([])
  })

  it('sends new events to old and new subscriptions, but no old events to new subscriptions', async () => {
    await subscribe(callboard, '/old')
    for (let count = 0; count < 200; count++) await pools[0]!.query('select pg_current_xact_id()')
    const worker = await work(callboard)
    const delivered = await publish(callboard)
    await receiver.received('/old')
    await worker.stop()
    const restored = open(await restore())
    await subscribe(restored, '/new')
    await work(restored)
    const next = await publish(restored)
    expect((await receiver.received('/old', 2)).map(idOf)).toEqual([delivered, next])
    expect((await receiver.received('/new')).map(idOf)).toEqual([next])
  })

  it('is refused by a worker that lacks the secret keys, until every secret is rotated', async () => {
    const id = await subscribe(callboard, '/keys')
    const restored = open(await restore(), { k2: RING.k2 })
    await expect(work(restored)).rejects.toMatchObject({
      code: 'CONFIGURATION_INVALID',
      message: expect.stringContaining('secretKeys'),
    })
    const secret = await restored.subscriptions.rotateSecret({ accountId: 'acc', id, by: 'platform' })
    await work(restored)
    await publish(restored)
    const [{ headers, body }] = (await receiver.received('/keys')) as [Received]
    await expect(verify({ headers, body, secret })).resolves.toBeDefined()
  })
})
