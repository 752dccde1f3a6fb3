import type { Redacted } from '@callboard/signature'
import type * as z from 'zod'
import type { DataSchema } from '../events/data-schema.ts'
import { defineEventType, type EventType } from '../events/event-type.ts'

/** The shape of an event type in a previous format version, and its conversion from the next newer shape. */
export interface PreviousType<
  Name extends string = string,
  Schema extends DataSchema = DataSchema,
  Path extends string = string,
> extends EventType<Name, Schema, Path> {
  /** The next newer shape of the same type. */
  readonly newer: EventType
  /** Converts `data` of the newer shape to this one. */
  down(data: object): object
}

export interface PreviousTypeDefinition<Newer extends EventType, Schema extends DataSchema, Path extends string> {
  /** Schema of `data` in the previous version. The rules are those for the schema of an event type. */
  readonly schema: Schema
  /**
   * Example of `data` in the previous version, including personal data. Every caller can see it, so invent the person.
   */
  readonly sample: NoInfer<z.input<Schema>>
  /** Dot-separated paths of personal data inside the previous `data`; none by default. */
  readonly personalDataPaths?: readonly Path[] | undefined
  /**
   * Converts `data` from the newer shape to this one. It must be synchronous, always give the same result for the same
   * data, and use nothing but the data. The input may lack personal data, because readers without the scope
   * `people.read` get events without it, and because it can be erased. Personal data from the input must not appear in
   * the result, except at `personalDataPaths`.
   */
  readonly down: (data: Redacted<z.output<Newer['schema']>, PathOf<Newer>>) => Redacted<z.output<Schema>, Path>
}

type PathOf<Type extends EventType> = Type['personalDataPaths'][number]

/**
 * Defines the shape that an event type had in a previous format version, for `previous` of `defineCatalog`. Its name,
 * title and family are those of the newer shape, and so is its description, unless the schema has one of its own.
 *
 * @param newer the next newer shape: an event type, or a previous type if the shape has changed more than once.
 * @throws CallboardError `CATALOG_INVALID`, like `defineEventType`.
 *
 * @example
 * const orderPaidBefore = definePreviousType(orderPaid, {
 *   schema: z.object({ order: z.object({ id: z.string(), customer: z.string().optional() }) }),
 *   sample: { order: { id: 'ord_1', customer: 'ada@example.com' } },
 *   personalDataPaths: ['order.customer'],
 *   down: ({ order: { id, buyer } }) => ({ order: { id, customer: buyer.email } }),
 * })
 */
export function definePreviousType<
  Newer extends EventType,
  Schema extends DataSchema,
  const Path extends string = string,
>(newer: Newer, definition: PreviousTypeDefinition<Newer, Schema, Path>): PreviousType<Newer['name'], Schema, Path> {
  const { down, ...shape } = definition
  const { name, title, family, descriptionKey }: Omit<EventType, 'name'> & { readonly name: Newer['name'] } = newer
  const { description = newer.description } = definition.schema
  return { ...defineEventType({ name, ...shape }), title, description, family, descriptionKey, newer, down }
}

export function isPreviousType(type: EventType): type is PreviousType {
  return 'newer' in type
}
