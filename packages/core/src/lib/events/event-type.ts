import type * as z from 'zod'
import { CallboardError } from '../errors.ts'
import { isPath, valueAt, valuesAt } from '../personal-data/personal-paths.ts'
import type { Issue } from '../validation/issue.ts'
import { textIssue } from '../validation/text-rules.ts'
import { type DataSchema, dataSchemaIssues } from './data-schema.ts'

/** Lower-case segments joined by dots: `order.paid`, `attendee.checked_in`. */
const NAME = /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)*$/
const TEXT = { min: 1, max: 100 } as const
const DESCRIPTION = { min: 1, max: 1_000 } as const

export interface EventTypeDefinition<Name extends string, Schema extends DataSchema, Path extends string = string> {
  /** Lower-case segments of `a–z 0–9 _` that begin with a letter, joined by dots; at most 100 characters. */
  readonly name: Name
  /**
   * What people call the type, 1–100 characters of plain text. Where a title is needed and none is given, `order.paid`
   * becomes `Order paid`.
   */
  readonly title?: string | undefined
  /**
   * When the event happens, in a sentence of plain text: 1–1,000 characters on one line. By default, the description
   * that the schema has by `.describe(…)`, if any.
   */
  readonly description?: string | undefined
  /** Name of the group that the type belongs to, 1–100 characters; `order` by default for `order.paid`. */
  readonly family?: string | undefined
  /** Translation key of the description, 1–100 characters; `events.order_paid` by default for `order.paid`. */
  readonly descriptionKey?: string | undefined
  /**
   * Schema of `data`, which must be a JSON object. The schema must not alter data: no transform, codec, coercion,
   * `catch`, or overwriting check such as `trim()`. Defaults are allowed.
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
  readonly title: string | undefined
  readonly description: string | undefined
  readonly family: string
  readonly descriptionKey: string
  readonly schema: Schema
  /** The sample as parsed by the schema, without fields that the schema strips. */
  readonly sample: z.output<Schema>
  /** The paths are typed as literals, so that a typed client knows which fields its key might not see. */
  readonly personalDataPaths: readonly Path[]
  readonly personPath: string | undefined
}

/**
 * Checks and defines an event type.
 *
 * @throws CallboardError `CATALOG_INVALID` with one issue per mistake. The path of each issue begins with the type's
 *   name.
 *
 * @example
 * const orderPaid = defineEventType({
 *   name: 'order.paid',
 *   description: 'An order was paid in full.',
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
  const {
    name,
    title,
    description,
    family,
    descriptionKey,
    schema,
    sample,
    personalDataPaths = [],
    personPath,
  } = definition
  const issues: Issue[] = []
  if (!NAME.test(name) || name.length > TEXT.max) {
    issues.push({
      path: 'name',
      code: 'FORMAT',
      message: 'a name must be lower-case segments joined by dots, such as order.paid, at most 100 characters in all',
    })
  }
  for (const [path, value] of Object.entries({ title, description, family, descriptionKey })) {
    const issue = value === undefined ? undefined : textIssue(path, value, path === 'description' ? DESCRIPTION : TEXT)
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
  return {
    name,
    title,
    description: description ?? schema.description,
    family: family ?? name.replace(/\..*/, ''),
    descriptionKey: descriptionKey ?? `events.${name.replaceAll('.', '_')}`,
    schema,
    sample: kept,
    personalDataPaths: Object.freeze([...personalDataPaths]),
    personPath,
  }
}

/** The title of an event type; `Order paid` for `order.paid` if none was given. */
export function titleOf({ name, title }: Pick<EventType, 'name' | 'title'>): string {
  return title ?? name.charAt(0).toUpperCase() + name.slice(1).replace(/[._]/g, ' ')
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
