import type { JsonSchema } from './catalog-document.ts'

export interface SchemaChange {
  /** Dot-separated path inside `data`; `''` for `data` itself. The items of an array have the path of the array. */
  readonly path: string
  readonly message: string
  /** Whether a receiver that was written for the former schema can fail. */
  readonly breaks: boolean
}

type Part = JsonSchema | boolean | undefined

/** The comparison stops at this depth, because a schema can refer to itself. */
const DEEPEST = 8

/**
 * Compares the former and the present schema of `data` from a receiver's point of view: apart from new fields,
 * everything that can be sent now must have been possible before. Lengths, limits and patterns are not compared,
 * because receivers rarely depend on them.
 */
export function compareSchemas(before: JsonSchema, now: JsonSchema): SchemaChange[] {
  return compare(before, now, { path: '', roots: [before, now], depth: 0 })
}

interface Location {
  readonly path: string
  /** The whole former and present schema, in which references are looked up. */
  readonly roots: readonly [JsonSchema, JsonSchema]
  readonly depth: number
}

function compare(formerPart: Part, presentPart: Part, location: Location): SchemaChange[] {
  const former = resolve(formerPart, location.roots[0])
  const present = resolve(presentPart, location.roots[1])
  if (former === undefined || location.depth > DEEPEST) return []
  if (present === undefined) return [broken(location, 'can be anything now')]
  const options = optionsOf(present)
  if (options.length > 1 || optionsOf(former).length > 1) return compareOptions(optionsOf(former), options, location)
  const type = typeChange(former, present, location)
  if (type.length > 0) return type
  return [
    ...valueChanges(former, present, location),
    ...formatChange(former, present, location),
    ...propertyChanges(former, present, location),
    ...itemChanges(former, present, location),
  ]
}

/** Each alternative of the present schema must fit one alternative of the former schema. */
function compareOptions(
  former: readonly JsonSchema[],
  present: readonly JsonSchema[],
  location: Location,
): SchemaChange[] {
  const next = { ...location, depth: location.depth + 1 }
  return present.flatMap((option) => {
    const changes = former.map((each) => compare(each, option, next))
    const best = changes.find((each) => each.every(({ breaks }) => !breaks))
    if (best !== undefined) return best
    // If a former alternative differs only in its fields, report the changed fields, because that says more than
    // “can now also be”.
    const similar = changes.find((each) => each.every(({ path }) => path !== location.path))
    return similar ?? [broken(location, `can now also be: ${kindOf(option)}`)]
  })
}

function typeChange(former: JsonSchema, present: JsonSchema, location: Location): SchemaChange[] {
  const [was, is] = [kindOf(former), kindOf(present)]
  if (was === is || was === 'anything' || (was === 'number' && is === 'integer')) return []
  return [broken(location, `was ${was} and is ${is} now`)]
}

function valueChanges(former: JsonSchema, present: JsonSchema, location: Location): SchemaChange[] {
  const [were, are] = [valuesOf(former), valuesOf(present)]
  if (were === undefined) return []
  if (are === undefined) return [broken(location, 'is no longer limited to certain values')]
  const added = are.filter((value) => !were.includes(value))
  return added.length === 0 ? [] : [broken(location, `can have new values: ${added.join(', ')}`)]
}

function formatChange(former: JsonSchema, present: JsonSchema, location: Location): SchemaChange[] {
  if (former.format === undefined || former.format === present.format) return []
  return [broken(location, `no longer has the format ${former.format}`)]
}

function propertyChanges(former: JsonSchema, present: JsonSchema, location: Location): SchemaChange[] {
  const [were, are] = [former.properties ?? {}, present.properties ?? {}]
  const at = (key: string): Location => ({
    ...location,
    path: location.path === '' ? key : `${location.path}.${key}`,
    depth: location.depth + 1,
  })
  const kept = Object.keys(were).flatMap((key) => {
    if (!Object.hasOwn(are, key)) return [broken(at(key), 'was removed')]
    const missing = isRequired(former, key) && !isRequired(present, key)
    return [...(missing ? [broken(at(key), 'can be missing now')] : []), ...compare(were[key], are[key], at(key))]
  })
  const added = Object.keys(are)
    .filter((key) => !Object.hasOwn(were, key))
    .map((key): SchemaChange => ({ path: at(key).path, message: 'was added', breaks: false }))
  const entries = compare(asSchema(former.additionalProperties), asSchema(present.additionalProperties), at('*'))
  return [...kept, ...added, ...entries]
}

function itemChanges(former: JsonSchema, present: JsonSchema, location: Location): SchemaChange[] {
  const next = { ...location, depth: location.depth + 1 }
  const fixed = (former.prefixItems ?? []).flatMap((item, at) => compare(item, present.prefixItems?.[at], next))
  const [were, are] = [former.items, present.items]
  return Array.isArray(were) || Array.isArray(are) ? fixed : [...fixed, ...compare(asSchema(were), asSchema(are), next)]
}

/** The alternatives of a schema. In a list of types, each type is one alternative. */
function optionsOf(schema: JsonSchema): JsonSchema[] {
  const options = schema.anyOf ?? schema.oneOf
  if (options !== undefined) return options.filter((option) => typeof option === 'object')
  const types: unknown = schema.type
  return Array.isArray(types) ? types.map((type): JsonSchema => ({ ...schema, type })) : [schema]
}

function kindOf(schema: JsonSchema): string {
  if (schema.type !== undefined) return String(schema.type)
  const [first] = valuesOf(schema) ?? []
  if (first !== undefined) return first === 'null' ? 'null' : typeof JSON.parse(first)
  return 'anything'
}

/** The allowed values as JSON; undefined if the schema does not list them. */
function valuesOf(schema: JsonSchema): string[] | undefined {
  if ('const' in schema) return [JSON.stringify(schema.const)]
  return schema.enum?.map((value) => JSON.stringify(value))
}

function isRequired({ required = [] }: JsonSchema, key: string): boolean {
  return required.includes(key)
}

/** Undefined for `true` (anything is allowed), for `false` (nothing is allowed) and if there is no schema. */
function asSchema(part: Part): JsonSchema | undefined {
  return typeof part === 'object' ? part : undefined
}

/** Follows a reference, and merges the parts of an intersection. */
function resolve(part: Part, root: JsonSchema): JsonSchema | undefined {
  if (typeof part !== 'object') return undefined
  const { $ref, allOf } = part
  if ($ref !== undefined) return asSchema($ref === '#' ? root : root.$defs?.[$ref.slice('#/$defs/'.length)])
  if (allOf === undefined) return part
  const parts: JsonSchema[] = allOf.flatMap((each: Part): JsonSchema[] => {
    const resolved = resolve(each, root)
    return resolved === undefined ? [] : [resolved]
  })
  return Object.assign({}, ...parts, {
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required = [] }) => required),
  })
}

function broken({ path }: Location, message: string): SchemaChange {
  return { path, message, breaks: true }
}
