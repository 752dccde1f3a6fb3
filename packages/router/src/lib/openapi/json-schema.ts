import * as z from 'zod'

/** A JSON Schema in draft 2020-12, the draft that OpenAPI 3.1 uses. */
export type JsonSchema = z.core.JSONSchema.JSONSchema

/**
 * Returns the JSON Schema of a zod schema's output or input.
 *
 * Objects allow additional properties even if the zod schema is strict, so that a field added later does not break
 * callers that validate responses. Keywords that zod adds needlessly are left out, such as the safe-integer range of
 * each integer, and patterns that only repeat `format`. So are patterns that other languages do not understand, or that
 * mean something else without their flags.
 */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output' = 'output'): JsonSchema {
  const { $schema: _, '~standard': __, ...described } = z.toJSONSchema(schema, { ...OPTIONS, io })
  return described
}

/**
 * Returns the JSON Schemas of named zod schemas. References between the schemas have the form that OpenAPI requires.
 */
export function componentSchemas(schemas: Readonly<Record<string, z.ZodType>>): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id })
  const { schemas: described } = z.toJSONSchema(registry, { ...OPTIONS, uri: schemaRef })
  return Object.fromEntries(Object.entries(described).map(([id, { $schema, $id, ...rest }]) => [id, rest]))
}

/** The `$ref` to a schema in the document. */
export function schemaRef(name: string): string {
  return `#/components/schemas/${name}`
}

/** The `propertyNames` of a record that allows any name. It restricts nothing, so it is left out. */
const ANY_NAME = '{"type":"string"}'

interface Overridden {
  readonly jsonSchema: z.core.JSONSchema.BaseSchema
  readonly zodSchema: z.core.$ZodTypes
}

/**
 * Unicode properties, code points in braces, control letters, named groups and empty classes. The regular expressions
 * of Python, for example, refuse them.
 */
const JAVASCRIPT_ONLY = /\\[pPkc]|\\u\{|\(\?<(?![=!])|\[\^?\]/
/** Flags that do not change what a pattern without JavaScript's own syntax matches in a single line. */
const PLAIN_FLAGS = /^[dgu]*$/

function isPortable(pattern: string | undefined, { _zod }: z.core.$ZodTypes): boolean {
  if (pattern === undefined) return true
  const flagged = (_zod.def.checks ?? []).some(({ _zod: { def } }) => {
    const used = 'pattern' in def && def.pattern instanceof RegExp ? def.pattern : undefined
    return used?.source === pattern && !PLAIN_FLAGS.test(used.flags)
  })
  return !flagged && !JAVASCRIPT_ONLY.test(pattern)
}

const OPTIONS = {
  unrepresentable: 'any',
  override({ jsonSchema, zodSchema }: Overridden) {
    if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    for (const part of [jsonSchema, ...(jsonSchema.allOf ?? [])])
      if (part.format !== undefined || !isPortable(part.pattern, zodSchema)) delete part.pattern
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
    if (JSON.stringify(jsonSchema.propertyNames) === ANY_NAME) delete jsonSchema.propertyNames
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  },
} as const
