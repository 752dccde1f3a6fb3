import type * as z from 'zod'
import { CallboardError } from '../errors.ts'
import type { Issue } from '../issue.ts'
import { isPath, pathsFingerprint, valueAt, valuesAt } from '../personal-data/personal-paths.ts'
import { textIssue } from '../text-rules.ts'
import { type DataSchema, dataSchemaIssues } from './data-schema.ts'

/** Lower-case segments joined by dots: `order.paid`, `attendee.checked_in`. */
const NAME = /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)*$/
const TEXT = { min: 1, max: 100 } as const

export interface EventTypeDefinition<Name extends string, Schema extends DataSchema, Path extends string = string> {
  /** Lower-case segments of `a–z 0–9 _` that begin with a letter, joined by dots; at most 100 characters. */
  readonly name: Name
  /** Name of the group that the type belongs to, 1–100 characters. */
  readonly family: string
  /** Translation key of the type's description, 1–100 characters. */
  readonly descriptionKey: string
  /**
   * Schema of `data`, which must be a JSON object. It must not alter data: no transform, codec, coercion, `catch`, or
   * overwriting check such as `trim()`. Defaults are allowed.
   */
  readonly schema: Schema
  /** Example of `data`, including personal data. Every caller can see it, so invent the person. */
  readonly sample: NoInfer<z.input<Schema>>
  /**
   * Dot-separated paths of personal data inside `data`; none by default. A step that leads to an array applies to each
   * element. Each path must match something in the sample.
   */
  readonly personalDataPaths?: readonly Path[] | undefined
  /** Path of the person's id inside `data`, for erasure. It must lead to a string without passing through an array. */
  readonly personPath?: string | undefined
}

/** An event type that {@link defineEventType} has checked. */
export interface EventType<
  Name extends string = string,
  Schema extends DataSchema = DataSchema,
  Path extends string = string,
> {
  readonly name: Name
  readonly family: string
  readonly descriptionKey: string
  readonly schema: Schema
  /** The sample as parsed by the schema, without fields that the schema strips. */
  readonly sample: z.output<Schema>
  /** The paths are typed as literals, so that a typed client knows which fields its key might not see. */
  readonly personalDataPaths: readonly Path[]
  readonly personPath: string | undefined
  /** Identifies the set of personal-data paths, regardless of their order; stored with each event. */
  readonly fingerprint: string
}

/** An event type as `GET /v1/event-types` lists it. */
export interface ListedEventType {
  readonly type: string
  readonly family: string
  readonly descriptionKey: string
  readonly sample: object
  readonly personalDataPaths: readonly string[]
}

/** All event types of a platform, in one format version. */
export interface Catalog<T extends EventType = EventType> {
  /** Format version, a date: `2026-10-01`. */
  readonly version: string
  readonly types: readonly T[]
  get(name: string): T | undefined
  /** The types as `GET /v1/event-types` lists them. */
  readonly listed: readonly ListedEventType[]
}

/** Names of a catalogue's types, as a union. */
export type EventTypeName<C extends Catalog> = C['types'][number]['name']

/** Type of `data` when publishing: the input of the type's schema. */
export type EventData<C extends Catalog, Name extends EventTypeName<C>> = z.input<
  Extract<C['types'][number], { readonly name: Name }>['schema']
>

/**
 * Checks and defines an event type.
 *
 * @throws CallboardError `CATALOG_INVALID` with one issue per mistake. The path of each issue begins with the type's
 *   name.
 *
 * @example
 * const orderPaid = defineEventType({
 *   name: 'order.paid',
 *   family: 'orders',
 *   descriptionKey: 'events.order_paid',
 *   schema: z.object({ order: z.object({ id: z.string(), buyer: z.object({ entity_id: z.string(), email: z.email().optional() }) }) }),
 *   sample: { order: { id: 'ord_1', buyer: { entity_id: 'per_1', email: 'ada@example.com' } } },
 *   personalDataPaths: ['order.buyer.email'],
 *   personPath: 'order.buyer.entity_id',
 * })
 */
export function defineEventType<
  const Name extends string,
  Schema extends DataSchema,
  const Path extends string = string,
>(definition: EventTypeDefinition<Name, Schema, Path>): EventType<Name, Schema, Path> {
  const { name, family, descriptionKey, schema, sample, personalDataPaths = [], personPath } = definition
  const issues: Issue[] = []
  if (!NAME.test(name) || name.length > TEXT.max) {
    issues.push({
      path: 'name',
      code: 'FORMAT',
      message: 'a name must be lower-case segments joined by dots, such as order.paid, at most 100 characters in all',
    })
  }
  for (const [path, value] of Object.entries({ family, descriptionKey })) {
    const issue = textIssue(path, value, TEXT)
    if (issue !== undefined) issues.push(issue)
  }
  issues.push(...dataSchemaIssues(schema).map((issue) => ({ ...issue, path: join('schema', issue.path) })))
  // The sample is not parsed with an invalid schema, because each mistake in the schema would then also be reported as
  // a mistake in the sample.
  const kept = issues.some(({ path }) => path.startsWith('schema')) ? undefined : parseSample(schema, sample, issues)
  if (kept !== undefined) issues.push(...pathIssues(kept, personalDataPaths, personPath))
  const [first] = issues
  if (first !== undefined || kept === undefined) {
    const message = `Event type ${JSON.stringify(name)} cannot be defined: ${first?.path}: ${first?.message}`
    throw new CallboardError('CATALOG_INVALID', message, {
      issues: issues.map((issue) => ({ ...issue, path: `${name}.${issue.path}` })),
    })
  }
  const paths = Object.freeze([...personalDataPaths])
  return {
    name,
    family,
    descriptionKey,
    schema,
    sample: kept,
    personalDataPaths: paths,
    personPath,
    fingerprint: pathsFingerprint(paths),
  }
}

/**
 * Defines a catalogue of event types.
 *
 * @throws CallboardError `CATALOG_INVALID` for a version that is not a date, or for a name defined twice.
 */
export function defineCatalog<T extends EventType>(definition: {
  readonly version: string
  readonly types: readonly T[]
}): Catalog<T> {
  const { version, types } = definition
  const byName = new Map<string, T>(types.map((type) => [type.name, type]))
  const repeated = new Set<string>(types.filter((type) => byName.get(type.name) !== type).map(({ name }) => name))
  const issues: Issue[] = [...repeated].map((name) => ({
    path: name,
    code: 'CONFLICT',
    message: `the event type ${name} is defined twice`,
  }))
  if (!isDate(version))
    issues.push({ path: 'version', code: 'FORMAT', message: 'version must be a date, such as 2026-10-01' })
  const [first] = issues
  if (first !== undefined)
    throw new CallboardError('CATALOG_INVALID', `The catalogue cannot be defined: ${first.message}`, { issues })
  return {
    version,
    types: Object.freeze([...types]),
    get: (name) => byName.get(name),
    listed: Object.freeze(
      types.map(({ name, family, descriptionKey, sample, personalDataPaths }) => ({
        type: name,
        family,
        descriptionKey,
        sample,
        personalDataPaths,
      })),
    ),
  }
}

function parseSample<Schema extends DataSchema>(
  schema: Schema,
  sample: unknown,
  issues: Issue[],
): z.output<Schema> | undefined {
  try {
    const parsed = schema.safeParse(sample)
    if (parsed.success) {
      JSON.stringify(parsed.data)
      return parsed.data
    }
    issues.push(
      ...parsed.error.issues.map(({ path, message }) => ({
        path: join('sample', path.map(String).join('.')),
        code: 'SCHEMA' as const,
        message,
      })),
    )
  } catch {
    issues.push({
      path: 'sample',
      code: 'INVALID',
      message: 'the schema must be synchronous and the sample must be serialisable as JSON',
    })
  }
  return undefined
}

function pathIssues(data: object, personalDataPaths: readonly string[], personPath: string | undefined): Issue[] {
  const issues: Issue[] = []
  for (const path of personalDataPaths) {
    if (isPath(path) && valuesAt(data, path).some((value) => value !== undefined)) continue
    issues.push({
      path: 'personalDataPaths',
      code: 'INVALID',
      message: `${path} matches nothing in the sample as parsed by the schema`,
    })
  }
  if (personPath !== undefined && !(isPath(personPath) && typeof valueAt(data, personPath) === 'string')) {
    issues.push({
      path: 'personPath',
      code: 'INVALID',
      message: `${personPath} must lead to a string in the sample without passing through an array`,
    })
  }
  return issues
}

function join(path: string, rest: string): string {
  return rest === '' ? path : `${path}.${rest}`
}

function isDate(version: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(version)) return false
  const date = new Date(`${version}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(version)
}
