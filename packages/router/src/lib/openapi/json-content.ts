import { schemaRef } from './json-schema.ts'
import type { BodyObject } from './openapi-document.ts'

/** Describes a JSON body by the name of its schema, and by named examples. */
export function jsonContent(
  schema: string,
  examples: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>,
): BodyObject {
  return { content: { 'application/json': { schema: { $ref: schemaRef(schema) }, examples } } }
}
