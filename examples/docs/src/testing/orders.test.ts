import { createRouter } from '@callboard/router'
// #region first
import { testCallboard } from '@callboard/testing'
import { expect, it } from 'vitest'
import { catalog, markPaid } from './orders.ts'

it('tells the seller that an order was paid', async () => {
  const app = testCallboard(catalog)
  await app.subscribe({ accountId: 'acc_1' })
  await markPaid(app.callboard, 'ord_1')
  const { event } = await app.delivery({ type: 'order.paid' })
  expect(event.data.order.id).toBe('ord_1')
})
// #endregion

// #region personal-data
it('sends the buyer’s address only where personal data is allowed', async () => {
  const app = testCallboard(catalog)
  await app.subscribe({ accountId: 'acc_1', targetUrl: 'https://newsletter.example/hook' })
  await app.subscribe({ accountId: 'acc_1', targetUrl: 'https://shop.example/hook', personalData: true })
  await markPaid(app.callboard, 'ord_1')
  const [newsletter, shop] = await app.deliveries({ type: 'order.paid' })
  expect(newsletter?.event.data.order.buyer).toEqual({})
  expect(shop?.event.data.order.buyer).toEqual({ email: 'ada@example.com' })
})
// #endregion

// #region retries
it('retries while the shop is down', async () => {
  const app = testCallboard(catalog)
  await app.subscribe({ accountId: 'acc_1', targetUrl: 'https://shop.example/hook' })
  app.target('https://shop.example/hook').answers(500, 'timeout', 200) // one for each request; the last one repeats
  await markPaid(app.callboard, 'ord_1')
  expect(await app.delivery()).toMatchObject({ state: 'retrying', nextAttemptAt: new Date(app.now() + 5_000) })

  await app.advance(24 * 3_600_000)
  const { state, attempts } = await app.delivery()
  expect(state).toBe('delivered')
  expect(attempts.map(({ status, reason }) => status ?? reason)).toEqual([500, 'timeout', 200])
})
// #endregion

// #region receiver
it('waits as long as the shop asks it to', async () => {
  const app = testCallboard(catalog)
  await app.subscribe({ accountId: 'acc_1', targetUrl: 'https://shop.example/hook' })
  app.target('https://shop.example/hook').answers(async (request) => {
    expect(await request.json()).toMatchObject({ type: 'order.paid' }) // a receiver that throws fails the test
    return new Response('busy', { status: 503, headers: { 'retry-after': '120' } })
  })
  await markPaid(app.callboard, 'ord_1')
  expect((await app.delivery()).nextAttemptAt).toEqual(new Date(app.now() + 120_000))
})
// #endregion

// #region api
it('delivers to a customer who subscribed through the API', async () => {
  const app = testCallboard(catalog)
  await app.callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })
  const { token } = await app.callboard.keys.issue({ accountId: 'acc_1', name: 'Zapier', scopes: ['webhooks.write'] })
  const api = createRouter(app.callboard)
  const subscribed = await api.fetch(
    new Request('https://api.example/v1/webhooks/subscriptions', {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        targetUrl: 'https://hooks.zapier.example/1',
        eventTypes: ['order.paid'],
        integration: 'zapier',
      }),
    }),
  )
  expect(subscribed.status).toBe(201)
  await markPaid(app.callboard, 'ord_1')
  expect(await app.delivery()).toMatchObject({ state: 'delivered', subscription: { integration: 'zapier' } })
})
// #endregion
