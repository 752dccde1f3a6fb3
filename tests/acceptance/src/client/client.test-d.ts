/** Checked by tsc and never run: the types of `data` that a client infers from the platform's catalogue. */
import { type CallboardEvent, createClient } from '@callboard/client'
import { expectTypeOf } from 'vitest'
import type * as z from 'zod'
import type { catalog, checkedIn, orderPaid } from '../sample-catalog.ts'

type Event = CallboardEvent<typeof catalog>
const client = createClient<typeof catalog>({ baseUrl: 'https://api.example.com', apiKey: 'cb_live_x' })

// The types describe the stored data: the output type of each schema, with defaults filled in.
for await (const event of client.events()) {
  expectTypeOf(event).toEqualTypeOf<Event>()
  if (event.type === 'order.paid') expectTypeOf(event.data).toEqualTypeOf<z.output<typeof orderPaid.schema>>()
  else expectTypeOf(event.data).toEqualTypeOf<z.output<typeof checkedIn.schema>>()
}
for await (const { data } of client.events({ type: 'order.paid' }))
  expectTypeOf(data.order.status).toEqualTypeOf<string>()
// @ts-expect-error no such type
client.events({ type: 'order.refunded' })
