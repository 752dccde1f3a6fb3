import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { dataSchemaIssues } from './data-schema.ts'

const trimmed = z.string().trim()

/**
 * Every place where a schema can contain another schema. A test fails if a release of zod no longer visits one of these
 * places.
 */
const places: Record<string, (inner: z.ZodType) => z.ZodType> = {
  property: (inner) => z.object({ a: inner }),
  'optional property': (inner) => z.object({ a: inner.optional() }),
  'nullable property': (inner) => z.object({ a: inner.nullable() }),
  'nonoptional property': (inner) => z.object({ a: z.nonoptional(inner) }),
  'readonly property': (inner) => z.object({ a: inner.readonly() }),
  'lazy property': (inner) => z.object({ a: z.lazy(() => inner) }),
  'property with a default': (inner) => z.object({ a: inner.default('x') }),
  'property with a prefault': (inner) => z.object({ a: inner.prefault('x') }),
  'described property': (inner) => z.object({ a: inner.describe('words') }),
  'property of a getter': (inner) =>
    z.object({
      get a() {
        return inner
      },
    }),
  catchall: (inner) => z.object({}).catchall(inner),
  element: (inner) => z.object({ a: z.array(inner) }),
  'tuple item': (inner) => z.object({ a: z.tuple([z.string(), inner]) }),
  'tuple rest': (inner) => z.object({ a: z.tuple([z.string()], inner) }),
  'record value': (inner) => z.object({ a: z.record(z.string(), inner) }),
  'loose record value': (inner) => z.object({ a: z.looseRecord(z.string().regex(/^x/), inner) }),
  'union option': (inner) => z.object({ a: z.union([z.number(), inner]) }),
  'exclusive union option': (inner) => z.object({ a: z.xor([z.number(), inner]) }),
  'discriminated option': (inner) =>
    z.discriminatedUnion('k', [z.object({ k: z.literal(1) }), z.object({ k: z.literal(2), a: inner })]),
  intersection: (inner) => z.intersection(z.object({ b: z.string() }), z.object({ a: inner })),
  'extended object': (inner) => z.object({ b: z.string() }).extend({ a: inner }),
  'reused schema': (inner) => z.object({ b: inner, a: z.object({ c: inner }) }),
}

/** Every kind of schema that alters published data, or whose output JSON cannot represent. */
const refused: Record<string, z.ZodType> = {
  transform: z.string().transform((text) => text.length),
  'transform into a pipe': z
    .string()
    .transform((text) => text.length)
    .pipe(z.number()),
  codec: z.codec(z.string(), z.number(), { decode: Number, encode: String }),
  preprocess: z.preprocess(String, z.string()),
  stringbool: z.stringbool(),
  coerce: z.coerce.string(),
  'coerced number': z.coerce.number(),
  'coerced boolean': z.coerce.boolean(),
  catch: z.string().catch(''),
  'dynamic catch': z.string().catch((context) => String(context.value)),
  trim: trimmed,
  'trim before another check': z.string().trim().min(1).max(3),
  toLowerCase: z.string().toLowerCase(),
  toUpperCase: z.string().toUpperCase(),
  normalize: z.string().normalize(),
  slugify: z.string().slugify(),
  overwrite: z.number().overwrite((value) => value + 1),
  'normalizing url': z.url({ normalize: true }),
  date: z.date(),
  'coerced date': z.coerce.date(),
  bigint: z.bigint(),
  'bigint literal': z.literal(1n),
  symbol: z.symbol(),
  undefined: z.undefined(),
  void: z.void(),
  nan: z.nan(),
  map: z.map(z.string(), z.string()),
  set: z.set(z.string()),
  custom: z.custom(() => true),
  instanceof: z.instanceof(Uint8Array),
  file: z.file(),
  promise: z.promise(z.string()),
  success: z.success(z.string()),
}

describe('dataSchemaIssues', () => {
  it.each(Object.keys(places))('finds a data-altering schema inside a %s', (place) => {
    expect(dataSchemaIssues(places[place]!(trimmed))).not.toEqual([])
  })

  it.each(Object.keys(places))('accepts a string schema inside a %s', (place) => {
    expect(dataSchemaIssues(places[place]!(z.string()))).toEqual([])
  })

  it.each(Object.keys(refused))('refuses %s in a property, and reports a single issue', (kind) => {
    expect(dataSchemaIssues(z.object({ order: z.object({ id: refused[kind]! }) }))).toMatchObject([
      { path: 'order.id' },
    ])
  })

  it('refuses a record schema that alters keys', () => {
    expect(dataSchemaIssues(z.object({ a: z.record(trimmed, z.string()) }))).toMatchObject([{ path: 'a.*' }])
    expect(dataSchemaIssues(z.object({ a: z.looseRecord(z.string().regex(/^x/).trim(), z.string()) }))).toMatchObject([
      { path: 'a.*' },
    ])
  })

  it('refuses an object schema with `overwrite`', () => {
    expect(dataSchemaIssues(z.object({ a: z.string() }).overwrite((value) => value))).toMatchObject([{ path: '' }])
  })

  it('reports the correct path for a field named like a keyword of JSON Schema', () => {
    expect(dataSchemaIssues(z.object({ properties: z.object({ items: z.array(trimmed) }) }))).toMatchObject([
      { path: 'properties.items' },
    ])
  })

  it.each([
    ['text', z.string()],
    ['an array', z.array(z.object({}))],
    ['anything', z.unknown()],
    ['an object or null', z.object({}).nullable()],
    ['an object or undefined', z.object({}).optional()],
    ['an object or text', z.union([z.object({}), z.string()])],
    ['any JSON', z.json()],
  ])('refuses a schema of %s', (_, schema) => {
    expect(dataSchemaIssues(schema)).toMatchObject([{ path: '', message: 'data must be a JSON object' }])
  })

  const tree: z.ZodType = z.object({
    name: z.string(),
    get children() {
      return z.array(tree)
    },
  })

  it.each([
    ['an object', z.object({ id: z.string() })],
    ['a strict object', z.strictObject({ id: z.string() })],
    ['a loose object', z.looseObject({ id: z.string() })],
    ['a record', z.record(z.string(), z.number())],
    ['one of several objects', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
    ['an object with an id in the registry', z.object({ a: z.string() }).meta({ id: 'data-schema-test' })],
    ['an object with a default', z.object({ a: z.string() }).default({ a: '' })],
    ['an object with any JSON in it', z.object({ a: z.json(), b: z.unknown() })],
    [
      'an object with formats',
      z.object({
        a: z.email(),
        b: z.url(),
        c: z.iso.datetime(),
        d: z.int().positive(),
        e: z.templateLiteral(['x', z.number()]),
        f: z.enum(['a']),
        g: z.uuid(),
      }),
    ],
    ['a refined object', z.object({ a: z.string() }).refine(({ a }) => a !== '')],
    ['a recursive object', tree],
  ])('accepts a schema of %s', (_, schema) => {
    expect(dataSchemaIssues(schema)).toEqual([])
  })
})
