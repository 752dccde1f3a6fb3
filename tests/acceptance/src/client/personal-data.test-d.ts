/**
 * Checked by tsc and never run: the types of personal data that a client infers from a catalogue that is declared
 * without type annotations.
 */
import { type CallboardEvent, createClient, type WithPersonalData } from '@callboard/client'
import { defineCatalog, defineEventType } from '@callboard/core'
import { expectTypeOf } from 'vitest'
import * as z from 'zod'

const orderPaid = defineEventType({
  name: 'order.paid',
  family: 'orders',
  descriptionKey: 'events.order_paid',
  schema: z.object({
    order: z.object({ id: z.string(), buyer: z.object({ entity_id: z.string(), email: z.email() }) }),
  }),
  sample: { order: { id: 'ord_1', buyer: { entity_id: 'per_1', email: 'ada@example.com' } } },
  personalDataPaths: ['order.buyer.email'],
})
const refunded = defineEventType({
  name: 'order.refunded',
  family: 'orders',
  descriptionKey: 'events.order_refunded',
  schema: z.object({ order: z.object({ id: z.string() }) }),
  sample: { order: { id: 'ord_1' } },
})
const catalog = defineCatalog({ version: '2026-10-01', types: [orderPaid, refunded] })
type Event = CallboardEvent<typeof catalog, 'order.paid'>

expectTypeOf<Event['data']['order']['buyer']>().toEqualTypeOf<{ entity_id: string; email?: string }>()
for await (const { data } of createClient<typeof catalog>({ baseUrl: '', apiKey: '' }).events({
  type: 'order.refunded',
}))
  expectTypeOf(data).toEqualTypeOf<z.output<typeof refunded.schema>>()
expectTypeOf<CallboardEvent<WithPersonalData<typeof catalog>, 'order.paid'>['data']>().toEqualTypeOf<
  z.output<typeof orderPaid.schema>
>()
