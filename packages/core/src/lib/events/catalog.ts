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
  /**
   * Lower-case segments of `a–z 0–9 _` that begin with a letter, joined by dots; at most 100 characters.
   */
  readonly name: Name
  /** Group of the type (contract, 2.3), 1–100 characters. */
  readonly family: string
  /** Names the type's description (contract, 2.3), 1–100 characters. */
  readonly descriptionKey: string
  /** Of `data`: a JSON object, with no transform, codec, coercion, `catch`, or overwriting check such as `trim()`. */
  readonly schema: Schema
  /** Example of `data`, personal data included; shown to every caller, so it must be made up. */
  readonly sample: NoInfer<z.input<Schema>>
  /**
   * Dot-separated paths of personal data inside `data`; a step that meets an array applies to each element. Each must
   * lead to something in the sample. None by default.
   */
  readonly personalDataPaths?: readonly Path[] | undefined
  /** Where the id of the person is, for erasure: leads to a string, and through no array. */
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
  /** As the schema keeps it: what a schema strips is not in it. */
  readonly sample: z.output<Schema>
  /** In the type as well: from it a client knows what its key may not see. */
  readonly personalDataPaths: readonly Path[]
  readonly personPath: string | undefined
  /** The same for the same set of personal-data paths, whatever their order; kept with each event. */
  readonly fingerprint: string
}

/** An event type as `GET /v1/event-types` lists it (contract, 2.3). */
export interface ListedEventType {
  readonly type: string
  readonly family: string
  readonly descriptionKey: string
  readonly sample: object
  readonly personalDataPaths: readonly string[]
}

/** The event types of a platform, all in one format version. */
export interface Catalog<T extends EventType = EventType> {
  /** Format version, a date: `2026-10-01`. */
  readonly version: string
  readonly types: readonly T[]
  get(name: string): T | undefined
  /** The types in the shape of `GET /v1/event-types`. */
  readonly listed: readonly ListedEventType[]
}

/** Names of a catalogue's types, as a union. */
export type EventTypeName<C extends Catalog> = C['types'][number]['name']

/** What `data` of a type may be when it is published: the input of the type's schema. */
export type EventData<C extends Catalog, Name extends EventTypeName<C>> = z.input<
  Extract<C['types'][number], { readonly name: Name }>['schema']
>

/**
 * Checks and defines an event type.
 *
 * @throws CallboardError `CATALOG_INVALID`, with one issue for each thing that is wrong; its path begins with the name.
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
      message: 'a name must be lower-case segments joined by dots, such as order.paid, of at most 100 characters',
    })
  }
  for (const [path, value] of Object.entries({ family, descriptionKey })) {
    const issue = textIssue(path, value, TEXT)
    if (issue !== undefined) issues.push(issue)
  }
  issues.push(...dataSchemaIssues(schema).map((issue) => ({ ...issue, path: join('schema', issue.path) })))
  // A schema that cannot be used is not run: its sample would fail for reasons that are the schema's.
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
 * Puts event types together.
 *
 * @throws CallboardError `CATALOG_INVALID` for a version that is not a date, and for a name that is there twice.
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
      message: 'the schema must be synchronous and the sample must have a JSON form',
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
      message: `${path} leads to nothing in the sample as the schema keeps it`,
    })
  }
  if (personPath !== undefined && !(isPath(personPath) && typeof valueAt(data, personPath) === 'string')) {
    issues.push({
      path: 'personPath',
      code: 'INVALID',
      message: `${personPath} must lead to a string in the sample, and through no array`,
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
