import {
  type CallboardError,
  defineCatalog,
  defineEventType,
  definePreviousType,
  type EventType,
} from '@callboard/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { arbitraryData } from './arbitrary-data.ts'
import { checkCatalog } from './check-catalog.ts'

const about = { name: 'order.paid', family: 'f', descriptionKey: 'k' } as const

const paid = defineEventType({
  ...about,
  schema: z.object({
    id: z.string(),
    note: z.string().optional(),
    buyer: z.object({ id: z.string(), email: z.email().optional() }),
  }),
  sample: { id: 'ord_1', note: 'x', buyer: { id: 'per_1', email: 'ada@example.com' } },
  personalDataPaths: ['buyer.email'],
})

type Paid = { id: string; note?: string | undefined; buyer: { id: string; email?: string | undefined } }

/** A catalogue whose previous version has this conversion. */
function catalogWith(down: (data: Paid) => { id: string; note: string; contact?: string }) {
  const before = definePreviousType(paid, {
    schema: z.object({ id: z.string(), note: z.string(), contact: z.string().optional() }),
    sample: { id: 'ord_1', note: 'x', contact: 'ada@example.com' },
    personalDataPaths: ['contact'],
    down,
  })
  return defineCatalog({ version: '2026-10-01', types: [paid], previous: [{ version: '2026-04-01', types: [before] }] })
}

const contactOf = ({ buyer: { email } }: Paid) => (email === undefined ? {} : { contact: email })

function errorOf(check: () => void): CallboardError {
  try {
    check()
  } catch (error) {
    return error as CallboardError
  }
  return expect.fail('nothing was thrown')
}

describe('checkCatalog', () => {
  it('accepts conversions that work for all data', () => {
    checkCatalog(catalogWith((data) => ({ id: data.id, note: data.note ?? '', ...contactOf(data) })))
  })

  it('finds and shows data for which the conversion fails because an optional field is missing', () => {
    const catalog = catalogWith((data) => ({ id: data.id, note: data.note?.trim() as string, ...contactOf(data) }))
    const { code, message, issues } = errorOf(() => checkCatalog(catalog))
    expect(code).toBe('CATALOG_INVALID')
    expect(message).toMatch(
      /^order\.paid cannot always be converted to version 2026-04-01: .*found with the seed -?\d+: \{/,
    )
    expect(JSON.parse(/\{.*$/.exec(message)?.[0] ?? '')).not.toHaveProperty('note')
    expect(issues).toMatchObject([{ path: '2026-04-01.order.paid.down.note' }])
  })

  it('finds a conversion that copies personal data into another field, even if only for some data', () => {
    const leaky = (data: Paid) => {
      const note = data.note === undefined ? (data.buyer.email ?? '') : data.note
      return { id: data.id, note, ...contactOf(data) }
    }
    const { message } = errorOf(() => checkCatalog(catalogWith(leaky)))
    expect(message).toContain('the same result without personal data')
  })

  it('repeats a check with its seed', () => {
    const catalog = catalogWith((data) => ({ id: data.id, note: data.note as string, ...contactOf(data) }))
    const { message } = errorOf(() => checkCatalog(catalog))
    const seed = Number(/seed (-?\d+)/.exec(message)?.[1])
    expect(errorOf(() => checkCatalog(catalog, { seed })).message).toBe(message)
  })

  it('says so if too little data fits the schema', () => {
    const word = z.string()
    const strict = defineEventType({
      ...about,
      schema: z
        .object({ a: word, b: word, c: word, d: word, e: word, f: word, g: word, h: word })
        .refine((data) => Object.values(data).join('') === 'abcdefgh'),
      sample: { a: 'a', b: 'b', c: 'c', d: 'd', e: 'e', f: 'f', g: 'g', h: 'h' },
    })
    const shape = { schema: z.object({ a: word }), sample: { a: 'x' } }
    const before = definePreviousType(strict, { ...shape, down: ({ a }) => ({ a }) })
    const previous = [{ version: '2026-04-01', types: [before] }]
    const catalog = defineCatalog({ version: '2026-10-01', types: [strict], previous })
    expect(errorOf(() => checkCatalog(catalog)).message).toMatch(/^Too little of the data/)
  })
})

/** How many of 100 generated values fit the schema. */
function fitting(type: EventType): number {
  const generated = fc.sample(arbitraryData(type), { numRuns: 100, seed: 1 })
  return generated.filter((data) => type.schema.safeParse(data).success).length
}

describe('the generated data', () => {
  const schemas: [string, z.ZodType, unknown][] = [
    ['texts', z.string().min(2).max(3), 'ab'],
    ['patterns', z.string().regex(/^[A-Z]{3}$/), 'EUR'],
    ['patterns of Unicode', z.string().regex(/^[^\p{Cc}\p{Cs}]*$/u), 'x'],
    [
      'formats',
      z.tuple([z.email(), z.uuid(), z.iso.datetime(), z.iso.date(), z.url(), z.ipv4(), z.ipv6()]),
      [
        'a@b.co',
        '123e4567-e89b-42d3-a456-426614174000',
        '2026-10-01T00:00:00.000Z',
        '2026-10-01',
        'https://a.example',
        '1.2.3.4',
        '::1',
      ],
    ],
    [
      'numbers',
      z.tuple([z.int().min(5).max(7), z.number().positive(), z.number().multipleOf(5), z.int()]),
      [5, 1, 10, 0],
    ],
    [
      'literals and enums',
      z.tuple([z.literal(['a', 1]), z.enum(['x', 'y']), z.null(), z.boolean()]),
      ['a', 'x', null, true],
    ],
    ['unions', z.union([z.string(), z.object({ kind: z.literal('a'), n: z.int() })]), 'x'],
    [
      'discriminated unions',
      z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('a') }),
        z.object({ kind: z.literal('b'), n: z.int() }),
      ]),
      { kind: 'a' },
    ],
    ['intersections', z.intersection(z.object({ a: z.string() }), z.object({ b: z.int() })), { a: 'x', b: 1 }],
    ['records', z.record(z.string().min(1), z.int()), { k: 1 }],
    ['partial records', z.partialRecord(z.enum(['a', 'b']), z.int()), { a: 1 }],
    ['lists', z.array(z.object({ id: z.string() })).min(1), [{ id: 'a' }]],
    [
      'nullable and optional fields',
      z.object({ a: z.string().nullable(), b: z.int().optional(), c: z.string().default('x') }),
      { a: null, b: 1 },
    ],
    ['anything', z.object({ a: z.unknown(), b: z.any() }), { a: 1, b: 2 }],
    ['loose objects', z.looseObject({ a: z.string() }), { a: 'x', more: 1 }],
  ]

  it.each(schemas)('mostly fits a schema of %s', (_, schema, sample) => {
    const type: EventType = { ...defineEventType({ ...about, schema: z.object({ v: schema }), sample: { v: sample } }) }
    expect(fitting(type)).toBeGreaterThan(30)
  })

  it('mostly fits a recursive schema', () => {
    const node: z.ZodType<{ id: string; children: object[] }> = z.object({
      id: z.string(),
      get children() {
        return z.array(node)
      },
    })
    const type = defineEventType({ ...about, schema: node, sample: { id: 'a', children: [{ id: 'b', children: [] }] } })
    expect(fitting(type)).toBeGreaterThan(30)
  })
})
