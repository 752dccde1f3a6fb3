/** Checks, in tsc only, the types of deliveries. This file never runs. */
import { type Callboard, defineCatalog, defineEventType, definePreviousType } from '@callboard/core'
import { expectTypeOf } from 'vitest'
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
const seatTaken = defineEventType({
  name: 'seat.taken',
  family: 'seats',
  descriptionKey: 'events.seat_taken',
  schema: z.object({ seat: z.number() }),
  sample: { seat: 1 },
})
const catalog = defineCatalog({ version: '2026-10-01', types: [orderPaid, seatTaken] })
const versioned = defineCatalog({
  version: '2026-10-01',
  types: [orderPaid],
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
type OrderData = { order: { id: string; email?: string } }

const app = testCallboard(catalog)
expectTypeOf(app.callboard).toEqualTypeOf<Callboard<typeof catalog>>()

// The filter determines the event, and without a filter, `type` discriminates it. Personal data is optional.
expectTypeOf((await app.delivery({ type: 'seat.taken' })).event.data).toEqualTypeOf<{ seat: number }>()
for (const { event } of await app.deliveries({ type: 'order.paid' })) {
  expectTypeOf(event.type).toEqualTypeOf<'order.paid'>()
  expectTypeOf(event.data).toEqualTypeOf<OrderData>()
}
for (const { event } of await app.deliveries()) {
  expectTypeOf(event.type).toEqualTypeOf<'order.paid' | 'seat.taken'>()
  if (event.type === 'order.paid') expectTypeOf(event.data).toEqualTypeOf<OrderData>()
  else expectTypeOf(event.data).toEqualTypeOf<{ seat: number }>()
}
// @ts-expect-error no such type
app.deliveries({ type: 'order.payd' })
// @ts-expect-error no such type
app.subscribe({ accountId: 'acc_1', eventTypes: ['order.payd'] })
// @ts-expect-error no such reason
app.target('https://shop.example/hook').answers('refused')

// Each format version has its own `data`.
const both = testCallboard(versioned)
expectTypeOf((await both.delivery({ version: '2026-04-01' })).event.data).toEqualTypeOf<{ orderId: string }>()
for (const { event } of await both.deliveries({ type: 'order.paid' })) {
  expectTypeOf(event.version).toEqualTypeOf<'2026-10-01' | '2026-04-01'>()
  if (event.version === '2026-10-01') expectTypeOf(event.data).toEqualTypeOf<OrderData>()
}
// @ts-expect-error no such version
both.deliveries({ version: '2020-01-01' })

// Code that publishes in a transaction takes the Callboard of a test as well.
expectTypeOf(app.callboard).toExtend<Callboard<typeof catalog, { query(text: string): Promise<unknown> }>>()

// Your own Callboard keeps the type of its transactions.
declare const own: Callboard<typeof catalog, { query(text: string): Promise<unknown> }>
expectTypeOf(testCallboard(own).callboard).toEqualTypeOf<typeof own>()
