import type * as z from 'zod'
import { jsonSchemaOf } from '../json-schema.ts'
import type { ParameterObject } from '../openapi-document.ts'

/** The `:id` of a path. */
export function idParameter(
  example: string,
  description = 'The `id` returned when the subscription was created.',
): ParameterObject {
  return { name: 'id', in: 'path', description, required: true, schema: { type: 'string' }, example }
}

/** The `:eventId` of a delivery's path. */
export function eventIdParameter(example: string): ParameterObject {
  const description = 'The `id` of the event, as in `webhook-id`.'
  return { name: 'eventId', in: 'path', description, required: true, schema: { type: 'string' }, example }
}

/** The header `Callboard-Version`, which every operation takes. */
export function versionParameter(versions: readonly string[]): ParameterObject {
  return {
    name: 'Callboard-Version',
    in: 'header',
    description: 'The format version of this request, instead of that of the key.',
    required: false,
    schema: { type: 'string', enum: [...versions] },
  }
}

/**
 * The query parameters with these schemas.
 *
 * @param more replaces keywords of a parameter's schema, by the parameter's name.
 */
export function queryParameters(
  schemas: Readonly<Record<string, z.ZodType>>,
  more: Readonly<Record<string, object>> = {},
): ParameterObject[] {
  return Object.entries(schemas).map(([name, parameter]) => {
    const { description, ...schema } = jsonSchemaOf(parameter, 'input')
    return { name, in: 'query', description, required: false, schema: { ...schema, ...more[name] } }
  })
}
