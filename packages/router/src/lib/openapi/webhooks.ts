import type { Catalog, EventType } from '@callboard/core'
import type { Examples } from './examples.ts'
import { HEADER_EXAMPLES } from './examples.ts'
import { jsonBody } from './json-body.ts'
import { type JsonSchema, jsonSchemaOf, schemaRef } from './json-schema.ts'
import type { OperationObject, ParameterObject, PathItem } from './openapi-document.ts'
import { makeOptional } from './optional-paths.ts'
import { pascalCase } from './pascal-case.ts'

/** What the catalogue adds to a document. */
export interface Webhooks {
  readonly webhooks: Readonly<Record<string, PathItem>>
  /** The schema of each type's event. */
  readonly schemas: Readonly<Record<string, JsonSchema>>
}

/** A webhook for every event type; `envelope` is the schema of any event. */
export function createWebhooks({ types }: Catalog, envelope: JsonSchema, examples: Examples): Webhooks {
  const webhooks: Record<string, PathItem> = {}
  const schemas: Record<string, JsonSchema> = {}
  for (const type of types) {
    // Names may differ in where they have a dot and where a _ alone.
    let name = pascalCase(type.name)
    while (Object.hasOwn(schemas, `${name}Event`)) name += '2'
    const schema = `${name}Event`
    schemas[schema] = eventSchema(type, envelope, schemaRef(schema))
    webhooks[type.name] = { post: delivery(type, name, schema, examples) }
  }
  return { webhooks, schemas }
}

function delivery(type: EventType, name: string, schema: string, examples: Examples): OperationObject {
  const summary = type.schema.description ?? `The event ${type.name}.`
  const redacted = { redacted: { summary: 'Without personal data', value: examples.event(type, false) } }
  const full = { full: { summary: 'With personal data', value: examples.event(type, true) } }
  return {
    operationId: `on${name}`,
    summary: type.name,
    description: `${summary}\n\n${DELIVERY}`,
    tags: ['Deliveries'],
    security: [],
    parameters: SIGNATURE,
    requestBody: {
      required: true,
      ...jsonBody(schema, type.personalDataPaths.length === 0 ? redacted : { ...redacted, ...full }),
    },
    responses: ANSWERS,
  }
}

function eventSchema(type: EventType, envelope: JsonSchema, ref: string): JsonSchema {
  const data = jsonSchemaOf(type.schema)
  makeOptional(data, type.personalDataPaths)
  // What refers to a part of itself lies deeper now.
  const placed: JsonSchema = JSON.parse(JSON.stringify(data), (key, value) =>
    key === '$ref' && typeof value === 'string' ? `${ref}/properties/data${value.slice(1)}` : value,
  )
  return {
    ...envelope,
    description: type.schema.description ?? `An event of the type ${type.name}.`,
    properties: { ...envelope.properties, type: { type: 'string', const: type.name }, data: placed },
  }
}

const DELIVERY = `Sent to \`targetUrl\` of each subscription that has this type in its \`eventTypes\`, signed by
[Standard Webhooks](https://www.standardwebhooks.com). Verify the signature over the body as it came, byte for byte, with the
subscription's \`secret\` before you trust anything in it.

Deliveries are made at least once: drop repeats by \`webhook-id\`. They may come in another order than events happened: go by
\`subject.sequence\`. Personal data is in the body only while the key that created the subscription, or last sent it again, has the scope
\`people.read\`; for a subscription created in the dashboard, only if that was chosen there.`

const SIGNATURE: readonly ParameterObject[] = [
  signed('webhook-id', 'The id of the event: the same in each repeat of it.', { type: 'string' }),
  signed(
    'webhook-timestamp',
    'When this try was made, in seconds since 1970. Refuse what is older than five minutes.',
    {
      type: 'string',
      pattern: '^[0-9]+$',
    },
  ),
  signed(
    'webhook-signature',
    'Signatures with a space between, one for each secret that is valid: `v1,` and the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` in base64.',
    { type: 'string', pattern: '^v1,[A-Za-z0-9+/]+=*( v1,[A-Za-z0-9+/]+=*)*$' },
  ),
]

function signed(name: string, description: string, schema: JsonSchema): ParameterObject {
  return { name, in: 'header', description, required: true, schema, example: HEADER_EXAMPLES[name] }
}

const ANSWERS: OperationObject['responses'] = {
  '2XX': { description: 'Delivered. Answer within 15 seconds, before any long work; the body is not looked at.' },
  '410': { description: 'Gone: the subscription is disabled, and nothing more is sent.' },
  default: {
    description:
      'Anything else, a redirect too, and no answer in time: tried again after growing waits, and no sooner than `Retry-After` of a 429, 502, 503 or 504 says.',
  },
}
