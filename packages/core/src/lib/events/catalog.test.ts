import { describe, expect, expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import { CallboardError, isCallboardError } from '../errors.ts'
import { definePreviousType } from '../versions/previous-type.ts'
import { type Catalog, defineCatalog, type EventData, type EventTypeName } from './catalog.ts'
import type { DataSchema } from './data-schema.ts'
import { defineEventType, type EventType } from './event-type.ts'

const orderPaid = defineEventType({
  name: 'order.paid',
  family: 'orders',
  descriptionKey: 'events.order_paid',
  schema: z.object({
    order: z.object({
      id: z.string(),
      buyer: z.object({ entity_id: z.string(), name: z.string().optional(), email: z.email().optional() }),
      lines: z.array(z.object({ quantity: z.int().default(1), attendee: z.object({ email: z.email() }).optional() })),
    }),
  }),
  sample: {
    order: {
      id: 'ord_1',
      buyer: { entity_id: 'per_1', name: 'Ada', email: 'ada@example.com' },
      lines: [{}, { quantity: 2, attendee: { email: 'grace@example.com' } }],
    },
  },
  personalDataPaths: ['order.buyer.name', 'order.buyer.email', 'order.lines.attendee.email'],
  personPath: 'order.buyer.entity_id',
})

const checkedIn = defineEventType({
  name: 'attendee.checked_in',
  family: 'attendees',
  descriptionKey: 'events.attendee_checked_in',
  schema: z.object({ attendee: z.object({ id: z.string() }) }),
  sample: { attendee: { id: 'att_1' } },
})

const catalog = defineCatalog({ version: '2026-10-01', types: [orderPaid, checkedIn] })

/** Defines a valid event type with these changes, and returns the issues that are reported. */
function issuesOf(change: {
  name?: string
  schema?: DataSchema
  sample?: unknown
  personalDataPaths?: string[]
  personPath?: string
  title?: string
  description?: string
  family?: string
}) {
  try {
    const { sample = { id: 'a' }, ...rest } = change
    defineEventType<string, z.ZodType<object>>({
      name: 'a.b',
      family: 'f',
      descriptionKey: 'k',
      schema: z.object({ id: z.string() }),
      sample,
      ...rest,
    })
  } catch (error) {
    if (isCallboardError(error, 'CATALOG_INVALID')) return error.issues
    throw error
  }
  return []
}

describe('defineEventType', () => {
  it('accepts a valid definition', () => {
    expect(issuesOf({})).toEqual([])
  })

  it.each(['order', 'order.paid', 'a1.b_2.c', 'a'.repeat(100)])('accepts the name %s', (name) => {
    expect(issuesOf({ name })).toEqual([])
  })

  it.each([
    '',
    'Order.paid',
    'order..paid',
    '.order',
    'order.',
    'order paid',
    '1order',
    'order-paid',
    'a'.repeat(101),
    'order.paid\n',
  ])('refuses the name %j', (name) => {
    expect(issuesOf({ name })).toMatchObject([{ path: `${name}.name` }])
  })

  it.each([
    ['title', ''],
    ['title', 'a'.repeat(101)],
    ['description', 'Two\nlines'],
    ['description', 'a'.repeat(1_001)],
    ['family', ''],
    ['descriptionKey', ''],
  ])('refuses the %s %j', (field, value) => {
    expect(issuesOf({ [field]: value })).toMatchObject([{ path: `a.b.${field}` }])
  })

  it('derives the family and the key of the description from the name', () => {
    const [schema, sample] = [z.object({ id: z.string() }), { id: 'a' }]
    expect(defineEventType({ name: 'attendee.checked_in', schema, sample })).toMatchObject({
      family: 'attendee',
      descriptionKey: 'events.attendee_checked_in',
    })
    expect(defineEventType({ name: 'ping', schema, sample })).toMatchObject({ family: 'ping' })
    const longest = 'a'.repeat(100)
    const previous = definePreviousType(defineEventType({ name: longest, schema, sample }), {
      ...{ schema, sample },
      down: (data) => data,
    })
    expect(previous.descriptionKey).toBe(`events.${longest}`)
  })

  it('takes the description from the schema if none is given', () => {
    const [schema, sample] = [z.object({ id: z.string() }).describe('From\nthe schema.'), { id: 'a' }]
    const [a, b] = [
      { name: 'a', schema, sample } as const,
      { name: 'b', description: 'Given.', schema, sample } as const,
    ]
    expect([a, b].map((each) => defineEventType(each).description)).toEqual(['From\nthe schema.', 'Given.'])
  })

  it('gives a previous type the texts of the newer one, unless its schema has a description', () => {
    const [schema, sample] = [z.object({ id: z.string() }), { id: 'a' }]
    const texts = { title: 'Paid', description: 'Somebody paid.', family: 'orders', descriptionKey: 'paid' } as const
    const newer = defineEventType({ name: 'order.paid', ...texts, schema, sample })
    const down = (data: { id: string }) => data
    expect(definePreviousType(newer, { schema, sample, down })).toMatchObject(texts)
    const described = definePreviousType(newer, { schema: schema.describe('Paid, in short.'), sample, down })
    expect(described).toMatchObject({ ...texts, description: 'Paid, in short.' })
  })

  it('refuses a sample that does not match the schema, and names the field', () => {
    expect(
      issuesOf({ schema: z.object({ order: z.object({ id: z.string() }) }), sample: { order: { id: 1 } } }),
    ).toMatchObject([{ path: 'a.b.sample.order.id' }])
  })

  it.each(['buyer.mail', 'id.x', '', 'id.', '.id', 'toString', '__proto__'])(
    'refuses the personal-data path %j, which matches nothing in the sample',
    (path) => {
      expect(issuesOf({ personalDataPaths: ['id', path] })).toMatchObject([{ path: 'a.b.personalDataPaths' }])
    },
  )

  it('refuses a path to a field that the schema strips from the sample', () => {
    expect(issuesOf({ sample: { id: 'a', secret: 'b' }, personalDataPaths: ['secret'] })).toMatchObject([
      { path: 'a.b.personalDataPaths' },
    ])
  })

  it('accepts a path that matches in any element of an array, including nested arrays', () => {
    const schema = z.object({ rows: z.array(z.array(z.object({ name: z.string().optional() }))) })
    expect(
      issuesOf({ schema, sample: { rows: [[], [{}, { name: 'Ada' }]] }, personalDataPaths: ['rows.name'] }),
    ).toEqual([])
    expect(issuesOf({ schema, sample: { rows: [[], [{}]] }, personalDataPaths: ['rows.name'] })).toHaveLength(1)
  })

  it.each(['nobody', 'count', 'rows.id', 'rows.0.id', 'rows'])(
    'refuses the personPath %s, which does not lead to a string or passes through an array',
    (personPath) => {
      const schema = z.object({ count: z.int(), rows: z.array(z.object({ id: z.string() })) })
      expect(issuesOf({ schema, sample: { count: 1, rows: [{ id: 'a' }] }, personPath })).toMatchObject([
        { path: 'a.b.personPath' },
      ])
    },
  )

  it('refuses an asynchronous schema', () => {
    expect(issuesOf({ schema: z.object({ id: z.string().refine(async () => true) }) })).toMatchObject([
      { path: 'a.b.sample' },
    ])
  })

  it('reports all mistakes at once, without repeating the sample', () => {
    const issues = issuesOf({ name: 'A', personalDataPaths: ['x', 'y'], sample: { id: 'ada@example.com' } })
    expect(issues.map(({ path }) => path)).toEqual(['A.name', 'A.personalDataPaths', 'A.personalDataPaths'])
    expect(JSON.stringify(issues)).not.toContain('ada@')
  })

  it('names the type and the first mistake in its error message', () => {
    expect(() => defineEventType({ ...checkedIn, personalDataPaths: ['attendee.name'] })).toThrow(
      /^Event type "attendee.checked_in" cannot be defined: personalDataPaths: attendee.name matches nothing/,
    )
  })
})

describe('defineCatalog', () => {
  it('creates a catalogue that finds its types by name', () => {
    expect(catalog.get('order.paid')).toBe(orderPaid)
    expect(catalog.get('order.lost')).toBeUndefined()
    expect(catalog.get('toString')).toBeUndefined()
    expect(catalog.types.map(({ name }) => name)).toEqual(['order.paid', 'attendee.checked_in'])
  })

  it('lists the types as GET /v1/event-types returns them (section 2.3 of the /v1 contract)', () => {
    expect(catalog.listed).toEqual([
      {
        type: 'order.paid',
        family: 'orders',
        descriptionKey: 'events.order_paid',
        sample: {
          order: {
            id: 'ord_1',
            buyer: { entity_id: 'per_1', name: 'Ada', email: 'ada@example.com' },
            lines: [{ quantity: 1 }, { quantity: 2, attendee: { email: 'grace@example.com' } }],
          },
        },
        personalDataPaths: ['order.buyer.name', 'order.buyer.email', 'order.lines.attendee.email'],
      },
      {
        type: 'attendee.checked_in',
        family: 'attendees',
        descriptionKey: 'events.attendee_checked_in',
        sample: { attendee: { id: 'att_1' } },
        personalDataPaths: [],
      },
    ])
  })

  it.each([
    ['the same object', orderPaid],
    ['another object', { ...orderPaid }],
  ])('refuses a name that is defined twice, by %s', (_, again) => {
    expect(() => defineCatalog({ version: '2026-10-01', types: [orderPaid, checkedIn, again] })).toThrow(
      expect.objectContaining({
        code: 'CATALOG_INVALID',
        issues: [{ path: 'order.paid', code: 'CONFLICT', message: expect.any(String) }],
      }),
    )
  })

  it.each(['', '1', '2026-10-1', '2026-13-01', '2026-02-30', '2026-10-01T00:00:00Z', 'v2026-10-01', '2026-10-01\n'])(
    'refuses the version %j',
    (version) => {
      expect(() => defineCatalog({ version, types: [orderPaid] })).toThrow(CallboardError)
    },
  )
})

describe('the TypeScript types of a catalogue', () => {
  type C = typeof catalog

  it('contain the names of its event types and the `data` of each', () => {
    expectTypeOf<EventTypeName<C>>().toEqualTypeOf<'order.paid' | 'attendee.checked_in'>()
    expectTypeOf<EventData<C, 'attendee.checked_in'>>().toEqualTypeOf<{ attendee: { id: string } }>()
    // `EventData` is the schema's input, not its output, so a field with a default can be omitted.
    expectTypeOf<EventData<C, 'order.paid'>['order']['lines'][number]['quantity']>().toEqualTypeOf<number | undefined>()
    expectTypeOf<C>().toExtend<Catalog>()
    expectTypeOf(orderPaid).toExtend<EventType>()
  })

  it('list the personal-data paths of an event type as literals, or as `string` if it has none', () => {
    expectTypeOf(orderPaid.personalDataPaths).toEqualTypeOf<
      readonly ('order.buyer.name' | 'order.buyer.email' | 'order.lines.attendee.email')[]
    >()
    expectTypeOf(checkedIn.personalDataPaths).toEqualTypeOf<readonly string[]>()
  })

  it('require the `data` of the event type that is published', () => {
    const publish = <T extends EventTypeName<C>>(event: { type: T; data: EventData<C, T> }): T => event.type
    expect(publish({ type: 'attendee.checked_in', data: { attendee: { id: 'att_1' } } })).toBe('attendee.checked_in')
    // @ts-expect-error data of another type
    publish({ type: 'order.paid', data: { attendee: { id: 'att_1' } } })
    // @ts-expect-error no such type
    publish({ type: 'order.lost', data: { attendee: { id: 'att_1' } } })
  })

  it('require a sample that matches the schema, and a schema that describes an object', () => {
    const text = { name: 'a', family: 'f', descriptionKey: 'k' } as const
    // @ts-expect-error the sample does not match
    expect(() => defineEventType({ ...text, schema: z.object({ id: z.string() }), sample: { id: 1 } })).toThrow(
      CallboardError,
    )
    // @ts-expect-error data must be an object
    expect(() => defineEventType({ ...text, schema: z.string(), sample: '' })).toThrow(CallboardError)
  })
})
