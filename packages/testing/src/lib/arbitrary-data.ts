import type { EventType } from '@callboard/core'
import fc from 'fast-check'
import * as z from 'zod'

type Schema = z.core.JSONSchema.JSONSchema

/**
 * The weights of the random choice between a value from the sample and a generated one. A zod refinement is more likely
 * to accept data with values from the sample.
 */
const SAMPLE_WEIGHT = 1
const GENERATED_WEIGHT = 2

/**
 * Generates data for an event type from its JSON Schema and its sample. Some of the data does not fit the zod schema,
 * because JSON Schema cannot express all its rules. No well-maintained library generates data from zod 4 for
 * fast-check.
 */
export function arbitraryData({ schema, sample }: EventType): fc.Arbitrary<unknown> {
  const root = z.toJSONSchema(schema, { unrepresentable: 'any' })
  return createMaker(root)(root, [sample], 0)
}

/** A `$ref` nested deeper than this is not followed: it is replaced with a value of the sample or with `{}`. */
const DEEPEST = 4

/**
 * Creates the function that turns a part of a JSON Schema into a fast-check arbitrary, given the values that the sample
 * has at that part.
 */
function createMaker(root: Schema) {
  const make = (schema: Schema | boolean, samples: readonly unknown[], depth: number): fc.Arbitrary<unknown> => {
    const generated = typeof schema === 'boolean' ? fc.jsonValue({ maxDepth: 1 }) : generate(schema, samples, depth)
    const known = samples.filter((value) => typeof schema === 'object' && isOfType(value, schema.type))
    if (known.length === 0) return generated
    return fc.oneof(
      { weight: SAMPLE_WEIGHT, arbitrary: fc.constantFrom(...known) },
      { weight: GENERATED_WEIGHT, arbitrary: generated },
    )
  }

  const generate = (schema: Schema, samples: readonly unknown[], depth: number): fc.Arbitrary<unknown> => {
    const { $ref, anyOf, oneOf, allOf, enum: values, type } = schema
    if ($ref !== undefined)
      return depth > DEEPEST ? fc.constantFrom(...samples, {}) : make(target($ref), samples, depth + 1)
    if ('const' in schema) return fc.constant(schema.const)
    if (values !== undefined) return fc.constantFrom(...values)
    const options = anyOf ?? oneOf
    if (options !== undefined) return fc.oneof(...options.map((option) => make(option, samples, depth)))
    if (allOf !== undefined) return both(allOf.map((part) => make(part, samples, depth)))
    const types: unknown = type
    if (Array.isArray(types)) return fc.oneof(...types.map((each) => make({ ...schema, type: each }, samples, depth)))
    switch (type) {
      case 'object':
        return object(schema, samples, depth)
      case 'array':
        return array(schema, samples, depth)
      case 'string':
        return text(schema)
      case 'integer':
      case 'number':
        return number(schema)
      case 'boolean':
        return fc.boolean()
      case 'null':
        return fc.constant(null)
      default:
        return fc.jsonValue({ maxDepth: 1 })
    }
  }

  const object = (
    { properties = {}, required = [], additionalProperties, propertyNames }: Schema,
    samples: readonly unknown[],
    depth: number,
  ): fc.Arbitrary<object> => {
    const named = Object.entries(properties).map(
      ([key, property]) => [key, make(property, valuesAt(samples, key), depth)] as const,
    )
    const fixed = fc.record(Object.fromEntries(named), { requiredKeys: required })
    if (typeof additionalProperties !== 'object' || additionalProperties === null) return fixed
    const others = samples.flatMap((sample) => (isObject(sample) ? Object.values(sample) : []))
    const key = propertyNames === undefined ? fc.string() : make(propertyNames, [], depth).map(String)
    const more = fc.dictionary(key, make(additionalProperties, others, depth), { maxKeys: 3 })
    return both([more, fixed]).map(Object)
  }

  const array = (
    { items, prefixItems, minItems = 0, maxItems }: Schema,
    samples: readonly unknown[],
    depth: number,
  ): fc.Arbitrary<unknown[]> => {
    const elements = samples.filter(Array.isArray)
    const first = (prefixItems ?? []).map((item, at) =>
      make(
        item,
        elements.flatMap((each) => each.slice(at, at + 1)),
        depth,
      ),
    )
    if (first.length > 0) return fc.tuple(...first)
    const item = Array.isArray(items) ? true : (items ?? true)
    const all = elements.flat()
    return fc.array(make(item, all, depth), { minLength: minItems, maxLength: maxItems ?? minItems + 3 })
  }

  const target = (ref: string): Schema => {
    const found = ref === '#' ? root : root.$defs?.[ref.slice('#/$defs/'.length)]
    return typeof found === 'object' ? found : {}
  }

  return make
}

/** Generates a value for each part of an intersection and, if all of them are objects, merges them. */
function both(parts: readonly fc.Arbitrary<unknown>[]): fc.Arbitrary<unknown> {
  return fc.tuple(...parts).map((values) => (values.every(isObject) ? Object.assign({}, ...values) : values[0]))
}

function number({
  type,
  minimum,
  maximum,
  exclusiveMinimum,
  exclusiveMaximum,
  multipleOf,
}: Schema): fc.Arbitrary<number> {
  const min = minimum ?? (typeof exclusiveMinimum === 'number' ? exclusiveMinimum : -1_000_000)
  const max = maximum ?? (typeof exclusiveMaximum === 'number' ? exclusiveMaximum : Math.max(min, 1_000_000))
  const range = { min: Math.max(min, -1e9), max: Math.min(max, 1e9) }
  if (multipleOf !== undefined)
    return fc
      .integer({ min: Math.ceil(range.min / multipleOf), max: Math.floor(range.max / multipleOf) })
      .map((times) => times * multipleOf)
  if (type === 'integer') return fc.integer({ min: Math.ceil(range.min), max: Math.floor(range.max) })
  return fc.double({ ...range, noNaN: true })
}

function text({ format, pattern, minLength = 0, maxLength }: Schema): fc.Arbitrary<string> {
  const date = fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  switch (format) {
    case 'email':
      return fc.emailAddress()
    case 'uuid':
    case 'guid':
      return fc.uuid()
    case 'date-time':
      return date.map((time) => time.toISOString())
    case 'date':
      return date.map((time) => time.toISOString().slice(0, 10))
    case 'time':
      return date.map((time) => time.toISOString().slice(11, 19))
    case 'uri':
    case 'url':
      return fc.webUrl()
    case 'ipv4':
      return fc.ipV4()
    case 'ipv6':
      return fc.ipV6()
    default:
      return matching(pattern) ?? fc.string({ unit: 'grapheme', minLength, maxLength: maxLength ?? minLength + 10 })
  }
}

/** Returns undefined if there is no pattern, or if fast-check cannot generate strings for it. */
function matching(pattern: string | undefined): fc.Arbitrary<string> | undefined {
  if (pattern === undefined) return undefined
  try {
    return fc.stringMatching(new RegExp(pattern, 'u'))
  } catch {
    return undefined
  }
}

/**
 * Whether a value of the sample can be used for a JSON Schema of this type. Objects and arrays are not used as a whole,
 * only the values inside them.
 */
function isOfType(value: unknown, type: Schema['type']): boolean {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'number':
      return typeof value === type
    case 'integer':
      return Number.isInteger(value)
    default:
      return false
  }
}

function valuesAt(samples: readonly unknown[], key: string): unknown[] {
  return samples.flatMap((sample) => (isObject(sample) && Object.hasOwn(sample, key) ? [sample[key]] : []))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
