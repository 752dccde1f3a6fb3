/** Checks, in tsc only, that the types of events come from the type parameter. This file never runs. */
import { expectTypeOf } from 'vitest'
import {
  type CallboardEvent,
  type Client,
  createClient,
  type Fetch,
  type List,
  type WithPersonalData,
} from '../index.ts'

const options = { baseUrl: 'https://api.example.com', apiKey: 'cb_live_x' }

/** The `data` of each event type, declared by a caller that does not have the catalogue. */
interface Shop {
  'order.paid': { order: { id: string } }
  'attendee.checked_in': { attendee: { id: string } }
}
/** The shape of `typeof catalog` for a catalogue of `@callboard/core`. */
interface Catalogue {
  readonly version: string
  readonly types: readonly (
    | { readonly name: 'order.paid'; readonly sample: { order: { id: string } } }
    | { readonly name: 'attendee.checked_in'; readonly sample: { attendee: { id: string } } }
  )[]
}

declare const plain: Client
declare const typed: Client<Shop>

expectTypeOf(createClient(options)).toEqualTypeOf<Client>()
expectTypeOf(createClient<Shop>(options)).toEqualTypeOf<Client<Shop>>()
expectTypeOf<typeof globalThis.fetch>().toExtend<Fetch>()

// Without `Types`, a caller can request any event type, and `data` is unknown.
plain.events({ type: 'whatever' })
for await (const event of plain.events()) {
  expectTypeOf(event.type).toEqualTypeOf<string>()
  expectTypeOf(event.data).toEqualTypeOf<unknown>()
  expectTypeOf(event.subject.sequence).toEqualTypeOf<number>()
}

// `Shop` and `Catalogue` result in the same union, discriminated by `type`.
for await (const event of typed.events()) {
  expectTypeOf(event.type).toEqualTypeOf<'order.paid' | 'attendee.checked_in'>()
  if (event.type === 'order.paid') expectTypeOf(event.data).toEqualTypeOf<Shop['order.paid']>()
  else expectTypeOf(event.data).toEqualTypeOf<Shop['attendee.checked_in']>()
}
expectTypeOf<CallboardEvent<Catalogue>>().toEqualTypeOf<CallboardEvent<Shop>>()

// A query for one event type returns only events of that type.
expectTypeOf(typed.events({ type: 'order.paid', limit: 10 })).toEqualTypeOf<List<CallboardEvent<Shop, 'order.paid'>>>()
for await (const { eventTypes } of typed.subscriptions.list({ state: 'active' }))
  expectTypeOf(eventTypes).toEqualTypeOf<readonly ('order.paid' | 'attendee.checked_in')[]>()
expectTypeOf(await typed.events.get('evt_1')).toEqualTypeOf<CallboardEvent<Shop>>()
// @ts-expect-error no such type
typed.events({ type: 'order.refunded' })
expectTypeOf((await typed.events.feed({ types: ['order.paid'], wait: 20 })).data).toEqualTypeOf<
  readonly CallboardEvent<Shop, 'order.paid'>[]
>()
for await (const event of typed.events.follow({ types: ['order.paid'] }))
  expectTypeOf(event).toEqualTypeOf<CallboardEvent<Shop, 'order.paid'>>()
// @ts-expect-error no such type
typed.events.follow({ types: ['order.refunded'] })
// @ts-expect-error no such type
typed.subscriptions.create({ targetUrl: 'https://hooks.example.com', eventTypes: ['order.refunded'] })
typed.subscriptions.create({ targetUrl: 'https://hooks.example.com', eventTypes: ['order.paid'] })

const [first] = (await typed.eventTypes()).data
if (first?.type === 'order.paid') expectTypeOf(first.sample).toEqualTypeOf<Shop['order.paid']>()

/** A catalogue whose type names the personal fields of `sample`, as the types that `defineEventType` returns do. */
interface PersonalCatalogue {
  readonly types: readonly {
    readonly name: 'order.paid'
    readonly sample: {
      order: { id: string; buyer: { entity_id: string; email: string }; lines: { attendee: { name: string } }[] }
      note?: string
    }
    readonly personalDataPaths: readonly ('order.buyer.email' | 'order.lines.attendee' | 'note')[]
  }[]
}
type PersonalSample = PersonalCatalogue['types'][number]['sample']
const personal = createClient<PersonalCatalogue>(options)
const permitted = createClient<WithPersonalData<PersonalCatalogue>>(options)

// Personal data is optional: it is absent if the key lacks the scope `people.read`, or if the data was erased.
for await (const { data } of personal.events())
  expectTypeOf(data).toEqualTypeOf<{
    order: { id: string; buyer: { entity_id: string; email?: string }; lines: { attendee?: { name: string } }[] }
    note?: string
  }>()
for await (const { data } of permitted.events()) expectTypeOf(data).toEqualTypeOf<PersonalSample>()
// Samples always include personal data.
for (const { sample } of (await personal.eventTypes()).data) expectTypeOf(sample).toEqualTypeOf<PersonalSample>()
for (const { sample } of (await permitted.eventTypes()).data) expectTypeOf(sample).toEqualTypeOf<PersonalSample>()
