import * as z from 'zod'

/** A JSON Schema of the 2020-12 draft, which is what OpenAPI 3.1 speaks. */
export type JsonSchema = z.core.JSONSchema.JSONSchema

/**
 * The JSON Schema of what a zod schema lets through, or, for `input`, of what may be sent.
 *
 * Objects are left open even where the zod schema is not: a field that is added later must break no caller who checks
 * what it gets. Bounds of safe integers, and patterns that say again what `format` says, are
 * left out.
 */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output' = 'output'): JsonSchema {
  const { $schema: _, '~standard': __, ...described } = z.toJSONSchema(schema, { ...OPTIONS, io })
  return described
}

/** Schemas by their names, in which one refers to another as OpenAPI wants it. */
export function componentSchemas(schemas: Readonly<Record<string, z.ZodType>>): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id })
  const { schemas: described } = z.toJSONSchema(registry, { ...OPTIONS, uri: schemaRef })
  return Object.fromEntries(Object.entries(described).map(([id, { $schema, $id, ...rest }]) => [id, rest]))
}

/** Where a document keeps the schema of this name. */
export function schemaRef(name: string): string {
  return `#/components/schemas/${name}`
}

/** What a record of any names says of them. */
const ANY_NAME = '{"type":"string"}'

const OPTIONS = {
  unrepresentable: 'any',
  override({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }) {
    if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    if (jsonSchema.format !== undefined) delete jsonSchema.pattern
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
    if (JSON.stringify(jsonSchema.propertyNames) === ANY_NAME) delete jsonSchema.propertyNames
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  },
} as const
