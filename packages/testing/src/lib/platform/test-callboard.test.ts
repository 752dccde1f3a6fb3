import { type Callboard, defineCatalog, defineEventType, definePreviousType } from '@callboard/core'
import { DEFAULT_RETRY_SCHEDULE } from '@callboard/delivery'
import { verify } from '@callboard/signature'
import { verifyRequest } from '@callboard/signature/request'
import { expect, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod'
import { testCallboard } from '../../index.ts'

const orderPaid = defineEventType({
  name: 'order.paid',
  family: 'orders',
  descriptionKey: 'events.order_paid',
  schema: z.object({ order: z.object({ id: z.string(), email: z.email() }) }),
  sample: { order: { id: 'ord_1', email: 'ada@example.com' } },
  personalDataPaths: ['order.email'],
})
const orderRefunded = defineEventType({
  name: 'order.refunded',
  family: 'orders',
  descriptionKey: 'events.order_refunded',
  schema: z.object({ order: z.object({ id: z.string() }) }),
  sample: { order: { id: 'ord_1' } },
})
const catalog = defineCatalog({
  version: '2026-10-01',
  types: [orderPaid, orderRefunded],
  previous: [
    {
      version: '2026-04-01',
      types: [
        definePreviousType(orderPaid, {
          schema: z.object({ orderId: z.string() }),
          sample: { orderId: 'ord_1' },
          down: ({ order }) => ({ orderId: order.id }),
        }),
      ],
    },
  ],
})
const SHOP = 'https://shop.example/hook'

/** The platform's own code. */
async function pay(callboard: Callboard<typeof catalog>, id: string): Promise<void> {
  await callboard.publish({
    accountId: 'acc_1',
    type: 'order.paid',
    subject: { type: 'order', id },
    data: { order: { id, email: 'ada@example.com' } },
  })
}

it('returns what a subscription is sent, after the real worker has signed it and its signature was verified', async () => {
  const app = testCallboard(catalog)
  const { secret } = await app.subscribe({ accountId: 'acc_1' })
  await pay(app.callboard, 'ord_1')
  const { event, headers, attempts, state } = await app.delivery({ type: 'order.paid' })
  expect(event).toMatchObject({ type: 'order.paid', version: '2026-10-01', data: { order: { id: 'ord_1' } } })
  expect(state).toBe('delivered')
  expect(attempts).toMatchObject([{ status: 200, reason: undefined, headers }])
  const verified = await verify({ headers, body: attempts[0]?.body ?? '', secret, now: new Date(app.now()) })
  expect(verified.payload).toEqual(event)
})

it('sends each subscription its own event types, personal data and format version', async () => {
  const app = testCallboard(catalog)
  await app.subscribe({ accountId: 'acc_1' })
  await app.subscribe({ accountId: 'acc_1', eventTypes: ['order.refunded'] })
  await app.subscribe({ accountId: 'acc_1', targetUrl: SHOP, personalData: true })
  await app.subscribe({ accountId: 'acc_1', apiVersion: '2026-04-01' })
  await app.subscribe({ accountId: 'acc_2' })
  await pay(app.callboard, 'ord_1')
  const sent = await app.deliveries()
  expect(sent.map(({ event }) => event.data)).toEqual([
    { order: { id: 'ord_1' } },
    { order: { id: 'ord_1', email: 'ada@example.com' } },
    { orderId: 'ord_1' },
  ])
  expect((await app.delivery({ version: '2026-04-01' })).event.data).toEqual({ orderId: 'ord_1' })
  expect((await app.delivery({ targetUrl: SHOP })).event.data).toHaveProperty('order.email')
})

it('retries by the clock of the test, exactly when the schedule says', async () => {
  const app = testCallboard(catalog, { startAt: new Date('2026-10-01T12:00:00Z') })
  await app.subscribe({ accountId: 'acc_1', targetUrl: SHOP })
  app.target(SHOP).answers(500, 'timeout', 200)
  await pay(app.callboard, 'ord_1')
  const failed = await app.delivery()
  expect(failed).toMatchObject({ state: 'retrying', nextAttemptAt: new Date('2026-10-01T12:00:05Z') })
  await app.advance(4_999)
  expect((await app.delivery()).attempts).toHaveLength(1)
  await app.advance(1)
  await app.advance(300_000)
  const delivered = await app.delivery()
  expect(delivered).toMatchObject({ state: 'delivered', nextAttemptAt: undefined })
  expect(delivered.attempts).toMatchObject([
    { status: 500, at: new Date('2026-10-01T12:00:00Z') },
    { reason: 'timeout', at: new Date('2026-10-01T12:00:05Z') },
    { status: 200, at: new Date('2026-10-01T12:05:05Z') },
  ])
  expect(new Set(delivered.attempts.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([delivered.event.id]))
  expect(new Set(delivered.attempts.map(({ headers }) => headers['webhook-signature'])).size).toBe(3)
})

it('makes every retry at its time when the clock moves by days', async () => {
  const app = testCallboard(catalog)
  await app.subscribe({ accountId: 'acc_1', targetUrl: SHOP })
  app.target(SHOP).answers('connect')
  const startedAt = app.now()
  await pay(app.callboard, 'ord_1')
  await app.advance(4 * 86_400_000)
  const { state, attempts } = await app.delivery()
  expect(state).toBe('exhausted')
  let due = startedAt
  expect(attempts.map(({ at }) => at.getTime())).toEqual([
    startedAt,
    ...DEFAULT_RETRY_SCHEDULE.map((delay) => {
      due += delay
      return due
    }),
  ])
  expect(app.now()).toBe(startedAt + 4 * 86_400_000)
})

it('has a clock of its own, which the fake timers of a test neither stop nor move', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const app = testCallboard(catalog)
  await app.subscribe({ accountId: 'acc_1', targetUrl: SHOP })
  app.target(SHOP).answers(500, 200)
  await pay(app.callboard, 'ord_1')
  vi.setSystemTime(app.now() + 3_600_000)
  expect(await app.delivery()).toMatchObject({ state: 'retrying', attempts: { length: 1 } })
  await app.advance(5_000)
  expect(await app.delivery()).toMatchObject({ state: 'delivered' })
})

it('lets a function answer, which gets the request, and honours its Retry-After', async () => {
  const app = testCallboard(catalog)
  const { secret } = await app.subscribe({ accountId: 'acc_1', targetUrl: SHOP })
  const received: unknown[] = []
  app.target(SHOP).answers(async (request) => {
    received.push(request.method, request.url, await verifyRequest(request, { secret, now: new Date(app.now()) }))
    return new Response('busy', { status: 503, headers: { 'retry-after': '120' } })
  }, 410)
  await pay(app.callboard, 'ord_1')
  const { event, nextAttemptAt } = await app.delivery()
  expect(received).toEqual(['POST', SHOP, event])
  expect(nextAttemptAt).toEqual(new Date(app.now() + 120_000))
  await app.advance(120_000)
  const { state, subscription } = await app.delivery()
  expect(state).toBe('disabled')
  expect(await app.callboard.subscriptions.find(subscription)).toMatchObject({ disabledReason: 'gone' })
})

it('tells subscriptions with the same target apart', async () => {
  const app = testCallboard(catalog)
  const ids = []
  for (const accountId of ['acc_1', 'acc_1', 'acc_2']) ids.push((await app.subscribe({ accountId })).id)
  await pay(app.callboard, 'ord_1')
  const sent = await app.deliveries()
  expect(sent.map(({ subscription }) => subscription.id).sort()).toEqual(ids.slice(0, 2).sort())
})

it('verifies a delivery in each format in which its subscription signs', async () => {
  const app = testCallboard(catalog)
  await app.subscribe({ accountId: 'acc_1' })
  const subscription = await app.subscribe({ accountId: 'acc_1' })
  const body = { type: 'hmac', header: 'X-Acme-Signature', over: 'body', encoding: 'hex', prefix: 'sha256=' } as const
  const timed = { ...body, header: 'X-Acme-Timed', over: 'timestamp.body', timestampHeader: 'X-Acme-Time' } as const
  const stamped = {
    ...timed,
    header: 'X-Acme-Stamped',
    prefix: 't={timestamp},{timestamp}=',
    encoding: 'base64',
  } as const
  const { timestampHeader: _, ...inHeader } = stamped
  await app.callboard.subscriptions.setSignatures({ ...subscription, signatures: ['svix', body, timed, inHeader] })
  await pay(app.callboard, 'ord_1')
  const [, sent] = await app.deliveries()
  const names = Object.keys(sent?.headers ?? {}).map((name) => name.toLowerCase())
  expect(names).toEqual(expect.arrayContaining(['svix-signature', 'x-acme-signature', 'x-acme-timed', 'x-acme-time']))
  expect(names).not.toContain('webhook-signature')
  expect(sent?.subscription.id).toBe(subscription.id)
})

it('keeps deliveries whose subscription was removed', async () => {
  const app = testCallboard(catalog)
  const subscription = await app.subscribe({ accountId: 'acc_1' })
  await pay(app.callboard, 'ord_1')
  await app.deliveries()
  await app.callboard.subscriptions.remove({ ...subscription, by: 'account' })
  await pay(app.callboard, 'ord_2')
  expect(await app.delivery()).toMatchObject({ state: 'delivered', event: { data: { order: { id: 'ord_1' } } } })
})

it('publishes at once when code passes a transaction, because the store in memory cannot join it', async () => {
  const app = testCallboard(catalog)
  await app.subscribe({ accountId: 'acc_1' })
  const data = orderPaid.sample
  const event = { accountId: 'acc_1', type: 'order.paid', subject: { type: 'order', id: 'ord_1' }, data } as const
  await app.callboard.publish(event, { tx: { query: async () => ({ rows: [] }) } })
  expect(await app.deliveries()).toHaveLength(1)
})

it('serves any number of subscriptions without limits per minute', async () => {
  const app = testCallboard(catalog)
  for (let count = 0; count < 130; count++) await app.subscribe({ accountId: 'acc_1' })
  await pay(app.callboard, 'ord_1')
  expect(await app.deliveries()).toHaveLength(130)
})

it('takes your own Callboard', async () => {
  const { callboard } = testCallboard(catalog)
  const app = testCallboard(callboard, { retrySchedule: [0, 0] })
  await app.subscribe({ accountId: 'acc_1', targetUrl: SHOP })
  app.target(SHOP).answers(500, 500, 204)
  await pay(callboard, 'ord_1')
  expect((await app.delivery()).attempts.map(({ status }) => status)).toEqual([500, 500, 204])
  await expect(app.advance(1)).rejects.toThrow('advance() needs the store in memory')
  const startAt = new Date()
  expect(() => testCallboard(callboard, { startAt } as never)).toThrow('startAt needs the store in memory')
  for (const wrong of [new Date('?'), new Date(-1), new Date(8e15)])
    expect(() => testCallboard(catalog, { startAt: wrong })).toThrow('startAt must be a Date in the years')
})

it('throws an error for a wrong stub, which says what to do', async () => {
  const app = testCallboard(catalog)
  await app.subscribe({ accountId: 'acc_1', targetUrl: SHOP, eventTypes: ['order.paid'] })
  const target = app.target(SHOP)
  for (const [answer, message] of [
    [undefined, 'https://shop.example/hook cannot answer with undefined: use a status, a Response, or one of'],
    [99, 'cannot answer with status 99: use a status from 200 to 599'],
    [600, 'status 600'],
    [200.5, 'status 200.5'],
    ['refused', "cannot answer with 'refused': use a status, a Response, or one of blocked, dns, connect"],
    [{ status: 500 }, 'cannot answer with object'],
    [new Response(), 'a Response is read once'],
  ] as const)
    expect(() => target.answers(answer as never), message).toThrow(message)
  expect(() => target.answers()).toThrow('needs an answer, such as answers(500)')
  expect(() => app.target('shop')).toThrow('needs a URL')

  target.answers(500)
  await expect(app.deliveries()).rejects.toThrow('publish an event that its subscription takes (order.paid)')
  await pay(app.callboard, 'ord_1')
  expect(await app.delivery()).toMatchObject({ state: 'retrying' })
  target.answers(200)
  await expect(app.deliveries()).rejects.toThrow('Its next attempt is due in 5000 ms: await app.advance(5000)')
  await app.advance(5_000)
  await app.deliveries()

  await app.callboard.subscriptions.disable({ ...(await app.delivery()).subscription, by: 'account' })
  target.answers(200)
  await expect(app.deliveries()).rejects.toThrow('its subscription is disabled (account)')
  app.target('https://shop.example/hok').answers(200)
  await expect(app.deliveries()).rejects.toThrow(/is disabled/)
})

it('throws an error for a target that no subscription has, and lists those that exist', async () => {
  const app = testCallboard(catalog)
  await app.subscribe({ accountId: 'acc_1', targetUrl: SHOP })
  await pay(app.callboard, 'ord_1')
  await expect(app.deliveries({ targetUrl: 'https://shop.example/hok' })).rejects.toThrow(`Targets: ${SHOP}.`)
  app.target('https://shop.example/hok').answers(500)
  await expect(app.deliveries()).rejects.toThrow(
    `No subscription has the target https://shop.example/hok. Targets: ${SHOP}.`,
  )
})

it('throws what a stub throws, and makes the attempt again once the stub is right', async () => {
  const app = testCallboard(catalog)
  await app.subscribe({ accountId: 'acc_1', targetUrl: SHOP })
  await pay(app.callboard, 'ord_1')
  const wrong = new Error('expected 2 lines')
  app.target(SHOP).answers(() => {
    throw wrong
  })
  await expect(app.deliveries()).rejects.toBe(wrong)
  await expect(app.advance(1)).rejects.toBe(wrong)
  app.target(SHOP).answers(async () => undefined as never)
  await expect(app.deliveries()).rejects.toThrow('cannot answer with undefined')
  app.target(SHOP).answers(200)
  expect((await app.delivery()).attempts).toMatchObject([{ status: 200 }])
})

it('says why there is not exactly one delivery', async () => {
  const app = testCallboard(catalog)
  await app.callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })
  await pay(app.callboard, 'ord_0')
  await expect(app.delivery({ type: 'order.paid' })).rejects.toThrow(
    'Expected one delivery of order.paid, but there is no subscription. Before publishing: await app.subscribe({ accountId }).',
  )
  await app.subscribe({ accountId: 'acc_2', eventTypes: ['order.refunded'] })
  await expect(app.delivery({ type: 'order.paid', version: '2026-10-01', targetUrl: SHOP })).rejects.toThrow(SHOP)
  await expect(app.delivery({ type: 'order.paid' })).rejects.toThrow(
    'but there is none. Published: order.paid for acc_1 (live). Subscribed: acc_2 (live): order.refunded.',
  )
  await app.subscribe({ accountId: 'acc_1' })
  await pay(app.callboard, 'ord_1')
  await pay(app.callboard, 'ord_2')
  await expect(app.delivery()).rejects.toThrow('but there are 2: order.paid ord_1 to https://receiver.example/webhooks')
})

it('subscribes in test mode, and asks for event types if the catalogue has too many for one subscription', async () => {
  const types = Array.from({ length: 51 }, (_, n) => {
    return defineEventType({ name: `order.step_${n}`, schema: z.object({ id: z.string() }), sample: { id: 'ord_1' } })
  })
  const app = testCallboard(defineCatalog({ version: '2026-10-01', types }))
  await expect(app.subscribe({ accountId: 'acc_1' })).rejects.toThrow(
    'the catalogue has 51, and a subscription takes 50',
  )
  await app.subscribe({ accountId: 'acc_1', accountName: 'Harbour Hall', mode: 'test', eventTypes: ['order.step_50'] })
  const subject = { type: 'order', id: 'ord_1' }
  const event = { accountId: 'acc_1', type: 'order.step_50', subject, data: { id: 'ord_1' } } as const
  await app.callboard.publishMany([event, { ...event, mode: 'test' }])
  const { livemode, account } = (await app.delivery()).event
  expect({ livemode, account }).toEqual({ livemode: false, account: { id: 'acc_1', name: 'Harbour Hall' } })
})

it('refuses a filter or a subscription that names what the catalogue does not have', async () => {
  const app = testCallboard(catalog)
  await expect(app.deliveries({ type: 'order.payd' as never })).rejects.toThrow('has no event type order.payd')
  await expect(app.deliveries({ version: '2020-01-01' as never })).rejects.toThrow('no format version 2020-01-01')
  const typo = app.subscribe({ accountId: 'acc_1', eventTypes: ['order.payd' as never] })
  await expect(typo).rejects.toMatchObject({ code: 'VALIDATION_FAILED' })
  const unknown = app.callboard.publish({ accountId: 'acc_1', type: 'order.payd' } as never)
  await expect(unknown).rejects.toMatchObject({ code: 'EVENT_TYPE_UNKNOWN' })
  for (const wrong of [-1, Number.NaN, Number.POSITIVE_INFINITY, 1e15])
    await expect(app.advance(wrong)).rejects.toThrow('0 or more')
})

it('throws what the worker reports as an error', async () => {
  const broken = defineCatalog({
    version: '2026-10-01',
    types: [orderPaid],
    previous: [
      {
        version: '2026-04-01',
        types: [
          definePreviousType(orderPaid, {
            schema: z.object({ orderId: z.string() }),
            sample: { orderId: 'ord_1' },
            down({ order }) {
              if (order.id === 'ord_2') throw new Error('cannot convert')
              return { orderId: order.id }
            },
          }),
        ],
      },
    ],
  })
  const app = testCallboard(broken)
  await app.subscribe({ accountId: 'acc_1', apiVersion: '2026-04-01' })
  await app.callboard.publish({
    accountId: 'acc_1',
    type: 'order.paid',
    subject: { type: 'order', id: 'ord_2' },
    data: { order: { id: 'ord_2', email: 'ada@example.com' } },
  })
  await expect(app.deliveries()).rejects.toMatchObject({ code: 'CONVERSION_FAILED' })
})
