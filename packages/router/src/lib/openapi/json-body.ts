import { schemaRef } from './json-schema.ts'
import type { BodyObject } from './openapi-document.ts'

/** A JSON body with a component schema, and named examples of it. */
export function jsonBody(
  schema: string,
  examples: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>,
): BodyObject {
  return { content: { 'application/json': { schema: { $ref: schemaRef(schema) }, examples } } }
}
