// A platform's tests check the conversions of its catalogue, and what its subscriptions are sent.
import assert from 'node:assert/strict'
import { defineCatalog, defineEventType, definePreviousType } from '@callboard/core'
import { verifyRequest } from '@callboard/signature/request'
import { checkCatalog, testCallboard } from '@callboard/testing'
import * as z from 'zod'

const paid = defineEventType({
  name: 'order.paid',
  schema: z.object({ id: z.string(), count: z.int().optional() }),
  sample: { id: 'ord_1', count: 1 },
})
const catalogWith = (down: (data: { id: string; count?: number | undefined }) => { id: string; count: number }) =>
  defineCatalog({
    version: '2026-10-01',
    types: [paid],
    previous: [
      {
        version: '2026-04-01',
        types: [
          definePreviousType(paid, {
            schema: z.object({ id: z.string(), count: z.int() }),
            sample: { id: 'ord_1', count: 1 },
            down,
          }),
        ],
      },
    ],
  })

checkCatalog(catalogWith(({ id, count = 0 }) => ({ id, count })))
assert.throws(() => checkCatalog(catalogWith(({ id, count }) => ({ id, count: count ?? 0.5 }))), {
  code: 'CATALOG_INVALID',
})

const targetUrl = 'https://shop.example/hook'
const app = testCallboard(catalogWith(({ id, count = 0 }) => ({ id, count })))
const { secret } = await app.subscribe({ accountId: 'acc_1', targetUrl, apiVersion: '2026-04-01' })
app.target(targetUrl).answers(async (request) => {
  await verifyRequest(request, { secret, now: new Date(app.now()) })
  return new Response('busy', { status: 503, headers: { 'retry-after': '120' } })
}, 204)
const data = { id: 'ord_1' }
await app.callboard.publish({ accountId: 'acc_1', type: 'order.paid', subject: { type: 'order', id: 'ord_1' }, data })
assert.deepEqual((await app.delivery()).nextAttemptAt, new Date(app.now() + 120_000))
await app.advance(120_000)
const { event, state, attempts } = await app.delivery({ type: 'order.paid', version: '2026-04-01' })
const count: number = event.data.count
assert.deepEqual(
  { count, state, statuses: attempts.map(({ status }) => status) },
  { count: 0, state: 'delivered', statuses: [503, 204] },
)
app.target('https://shop.example/hok').answers(500)
await assert.rejects(app.deliveries(), /No subscription has the target https:\/\/shop.example\/hok/)
