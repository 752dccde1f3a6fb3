import { describe, expect, expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import { isCallboardError } from '../errors.ts'
import { type Catalog, defineCatalog } from '../events/catalog.ts'
import { defineEventType } from '../events/event-type.ts'
import { definePreviousType, type PreviousType } from './previous-type.ts'
import type { PreviousVersion } from './previous-version.ts'

const about = { family: 'orders', descriptionKey: 'events.order' } as const

const paid = defineEventType({
  ...about,
  name: 'order.paid',
  schema: z.object({
    order: z.object({
      id: z.string(),
      total: z.object({ amount: z.int(), currency: z.string() }),
      buyer: z.object({ id: z.string(), first_name: z.string(), last_name: z.string() }),
    }),
  }),
  sample: {
    order: {
      id: 'ord_1',
      total: { amount: 2500, currency: 'EUR' },
      buyer: { id: 'per_1', first_name: 'Ada', last_name: 'Lindqvist' },
    },
  },
  personalDataPaths: ['order.buyer.first_name', 'order.buyer.last_name'],
})

const april = definePreviousType(paid, {
  schema: z.object({
    order: z.object({
      id: z.string(),
      amount: z.int(),
      currency: z.string(),
      customer: z.object({ id: z.string(), name: z.string() }),
    }),
  }),
  sample: { order: { id: 'ord_1', amount: 2500, currency: 'EUR', customer: { id: 'per_1', name: 'Ada Lindqvist' } } },
  personalDataPaths: ['order.customer.name'],
  down: ({ order: { id, total, buyer } }) => ({
    order: { id, ...total, customer: { id: buyer.id, ...nameOf(buyer.first_name, buyer.last_name) } },
  }),
})

function nameOf(first: string | undefined, last: string | undefined): { name?: string } {
  return first === undefined || last === undefined ? {} : { name: `${first} ${last}` }
}

const january = definePreviousType(april, {
  schema: z.object({ id: z.string(), cents: z.int(), customer_name: z.string() }),
  sample: { id: 'ord_1', cents: 2500, customer_name: 'Ada Lindqvist' },
  personalDataPaths: ['customer_name'],
  down: ({ order: { id, amount, customer } }) => ({
    id,
    cents: amount,
    ...(customer.name === undefined ? {} : { customer_name: customer.name }),
  }),
})

const refunded = defineEventType({
  ...about,
  name: 'order.refunded',
  schema: z.object({ id: z.string() }),
  sample: { id: 'ord_1' },
})
const quoted = defineEventType({
  ...about,
  name: 'order.quoted',
  schema: z.object({ id: z.string() }),
  sample: { id: 'ord_1' },
})

const catalog = defineCatalog({
  version: '2026-10-01',
  types: [paid, refunded],
  previous: [
    {
      version: '2026-04-01',
      types: [april],
      without: ['order.refunded'],
      deprecated: '2026-10-01',
      sunset: '2027-10-01',
    },
    { version: '2026-01-01', types: [january, quoted] },
  ],
})

const issuesOf = (previous: PreviousVersion) => {
  try {
    defineCatalog({ version: '2026-10-01', types: [paid, refunded], previous: [previous] })
  } catch (error) {
    if (isCallboardError(error, 'CATALOG_INVALID'))
      return error.issues.map(({ path, message }) => `${path}: ${message}`)
    throw error
  }
  return []
}

describe('a catalogue with previous versions', () => {
  it('has the event types of each version', () => {
    const names = Object.values(catalog.versions).map(({ version, types }) => [version, types.map(({ name }) => name)])
    expect(names).toEqual([
      ['2026-10-01', ['order.paid', 'order.refunded']],
      ['2026-04-01', ['order.paid']],
      ['2026-01-01', ['order.paid', 'order.quoted']],
    ])
    expect(catalog.versions['2026-04-01'].get('order.paid')).toBe(april)
    expect(catalog.versions['2026-01-01'].get('order.paid')).toBe(january)
    expect(catalog.versions['2026-10-01'].get('order.quoted')).toBeUndefined()
  })

  it('lists the samples and paths of each version', () => {
    expect(catalog.versions['2026-01-01'].listed[0]).toEqual({
      type: 'order.paid',
      ...about,
      sample: { id: 'ord_1', cents: 2500, customer_name: 'Ada Lindqvist' },
      personalDataPaths: ['customer_name'],
    })
  })

  it('says when a version is deprecated and ends', () => {
    expect(catalog.retirement).toBeUndefined()
    expect(catalog.versions['2026-04-01'].retirement).toMatchObject({ deprecated: '2026-10-01', sunset: '2027-10-01' })
  })

  it('has TypeScript types for each version', () => {
    type Versions = (typeof catalog)['versions']
    type Data<Version extends keyof Versions, Name> = Extract<
      Versions[Version]['types'][number],
      { name: Name }
    >['sample']
    expectTypeOf<keyof Versions>().toEqualTypeOf<'2026-10-01' | '2026-04-01' | '2026-01-01'>()
    expectTypeOf<Versions['2026-04-01']['types'][number]['name']>().toEqualTypeOf<'order.paid'>()
    expectTypeOf<Versions['2026-01-01']['types'][number]['name']>().toEqualTypeOf<'order.paid' | 'order.quoted'>()
    expectTypeOf<Data<'2026-01-01', 'order.paid'>>().toEqualTypeOf<{
      id: string
      cents: number
      customer_name: string
    }>()
    expectTypeOf<Data<'2026-10-01', 'order.paid'>['order']['total']['amount']>().toEqualTypeOf<number>()
    expectTypeOf(catalog).toExtend<Catalog>()
  })

  it('makes personal data optional in the input of a conversion', () => {
    const { schema, sample, personalDataPaths } = january
    definePreviousType(april, {
      schema,
      sample,
      personalDataPaths,
      down: ({ order }) => {
        expectTypeOf(order.customer.name).toEqualTypeOf<string | undefined>()
        expectTypeOf(order.amount).toEqualTypeOf<number>()
        return { id: order.id, cents: order.amount }
      },
    })
    // @ts-expect-error the result lacks `cents`
    definePreviousType(april, { schema, sample, personalDataPaths, down: ({ order }) => ({ id: order.id }) })
  })
})

describe('defineCatalog refuses', () => {
  const withDown = (down: (data: never) => object) => {
    const type: PreviousType = { ...april, down }
    return issuesOf({ version: '2026-04-01', types: [type] })
  }

  it.each([['2026-10-01'], ['2026-12-01'], ['2026-4-1'], ['']])('the previous version %j', (version) => {
    expect(issuesOf({ version })).toEqual([
      `${version}.version: a previous version must be a date before 2026-10-01, the next newer version`,
    ])
  })

  it.each<[string, Partial<PreviousVersion>, RegExp]>([
    ['a deprecation that is not a date', { deprecated: 'soon' }, /^2026-04-01.deprecated: deprecated must be a date/],
    [
      'a sunset before the deprecation',
      { deprecated: '2027-01-01', sunset: '2026-12-31' },
      /sunset must not be before/,
    ],
    ['enforceSunset without a sunset', { enforceSunset: true }, /enforceSunset needs a sunset/],
    ['a link that is not https', { link: 'http://example.com' }, /link must be an https: URL/],
    [
      'a `without` that names a type that never existed',
      { without: ['order.lost'] },
      /must be a type of version 2026-10-01 only/,
    ],
    [
      'a type that is defined twice in a version',
      { types: [april, april, { ...april }] },
      /is defined twice in version 2026-04-01/,
    ],
    [
      'a type that is defined without a conversion, although the next newer version has the type too',
      { types: [{ ...refunded }] },
      /order.refunded is also in version 2026-10-01/,
    ],
    [
      'a previous type that is not defined from the same type in the next newer version',
      { types: [january] },
      /must define order.paid of version 2026-04-01 from the type in version 2026-10-01/,
    ],
  ])('%s', (_, previous, expected) => {
    expect(issuesOf({ version: '2026-04-01', ...previous })[0]).toMatch(expected)
  })

  it.each<[string, (data: never) => object, RegExp]>([
    ['does not fit its schema', () => ({ order: {} }), /down.order.id: the result of down does not fit the schema/],
    [
      'has more fields than its schema',
      (data: never) => ({ ...april.down(data), more: 1 }),
      /no fields that the schema lacks/,
    ],
    ['is not an object', () => [], /down failed: down must return a JSON object/],
    ['is a promise', async () => ({}), /down failed: down must return a JSON object/],
  ])('a conversion whose result %s', (_, down, expected) => {
    expect(withDown(down)[0]).toMatch(expected)
  })

  it('a conversion that throws', () => {
    const down = (): object => {
      throw new Error('not today')
    }
    expect(withDown(down)).toEqual(['2026-04-01.order.paid.down: down failed: not today'])
  })

  it('a conversion whose result changes from call to call', () => {
    let calls = 0
    const down = (data: never): object => {
      const { order }: { order?: object } = april.down(data)
      return { order: { ...order, amount: ++calls } }
    }
    expect(withDown(down)).toContainEqual(expect.stringContaining('same result for the same data'))
  })

  it('a conversion that moves personal data to a path that is not personal', () => {
    const down = ({ order: { id, total, buyer } }: typeof paid.sample) => ({
      order: { id: `${id} ${buyer.first_name}`, ...total, customer: { id: buyer.id, name: 'x' } },
    })
    expect(withDown(down)).toContainEqual(expect.stringContaining('the same result without personal data'))
  })

  it('a conversion that fails without personal data', () => {
    const down = ({ order: { id, total, buyer } }: typeof paid.sample) => ({
      order: { id, ...total, customer: { id: buyer.id, name: buyer.first_name.concat(' ', buyer.last_name) } },
    })
    expect(withDown(down)[0]).toMatch(/down failed: /)
  })
})
