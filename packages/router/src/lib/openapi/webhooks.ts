import type { CatalogVersion, EventType } from '@callboard/core'
import { titleOf } from '@callboard/core/engine'
import type { Examples } from './examples.ts'
import { HEADER_EXAMPLES } from './examples.ts'
import { jsonContent } from './json-content.ts'
import { type JsonSchema, jsonSchemaOf, schemaRef } from './json-schema.ts'
import type { OperationObject, ParameterObject, PathItem } from './openapi-document.ts'
import { makeOptional } from './optional-paths.ts'
import { pascalCase } from './pascal-case.ts'

/** The parts of a document that come from the catalogue. */
export interface Webhooks {
  readonly webhooks: Readonly<Record<string, PathItem>>
  /** The schema of each type's event. */
  readonly schemas: Readonly<Record<string, JsonSchema>>
}

/** Creates a webhook for every event type. `envelope` is the schema that all events share. */
export function createWebhooks({ types }: CatalogVersion, envelope: JsonSchema, examples: Examples): Webhooks {
  const webhooks: Record<string, PathItem> = {}
  const schemas: Record<string, JsonSchema> = {}
  for (const type of types) {
    // `order.paid` and `order_paid` would both become `OrderPaid`, so the later of the two becomes `OrderPaid2`.
    let name = pascalCase(type.name)
    while (Object.hasOwn(schemas, `${name}Event`)) name += '2'
    const schema = `${name}Event`
    schemas[schema] = eventSchema(type, envelope, schemaRef(schema))
    webhooks[type.name] = { post: delivery(type, name, schema, examples) }
  }
  return { webhooks, schemas }
}

function delivery(type: EventType, name: string, schema: string, examples: Examples): OperationObject {
  const description = type.description ?? `The event ${type.name}.`
  const redacted = { redacted: { summary: 'Without personal data', value: examples.event(type, false) } }
  const full = { full: { summary: 'With personal data', value: examples.event(type, true) } }
  return {
    operationId: `on${name}`,
    summary: titleOf(type),
    description: `${description}\n\n${DELIVERY}`,
    tags: ['Deliveries'],
    security: [],
    parameters: SIGNATURE,
    requestBody: {
      required: true,
      ...jsonContent(schema, type.personalDataPaths.length === 0 ? redacted : { ...redacted, ...full }),
    },
    responses: ANSWERS,
  }
}

function eventSchema(type: EventType, envelope: JsonSchema, ref: string): JsonSchema {
  const data = jsonSchemaOf(type.schema)
  makeOptional(data, type.personalDataPaths)
  // References in the schema of `data` are relative to the root of that schema. They are changed here, because the
  // schema becomes part of the event's schema.
  const placed: JsonSchema = JSON.parse(JSON.stringify(data), (key, value) =>
    key === '$ref' && typeof value === 'string' ? `${ref}/properties/data${value.slice(1)}` : value,
  )
  return {
    ...envelope,
    description: type.description ?? `An event of the type ${type.name}.`,
    properties: { ...envelope.properties, type: { type: 'string', const: type.name }, data: placed },
  }
}

const DELIVERY = `Sent to the \`targetUrl\` of each subscription whose \`eventTypes\` include this type, and signed according to
[Standard Webhooks](https://www.standardwebhooks.com). Before you trust the body, verify the signature with the
subscription's \`secret\`, over the raw bytes as received.

An event is delivered at least once, so use \`webhook-id\` to drop repeats. Deliveries can arrive out of order, so compare
\`subject.sequence\`. The body contains personal data only while the key that created the subscription, or last sent the same
create request, has the scope \`people.read\`. For a subscription created in the dashboard, a setting there decides.`

const SIGNATURE: readonly ParameterObject[] = [
  signed('webhook-id', 'The id of the event, the same in every attempt.', { type: 'string' }),
  signed(
    'webhook-timestamp',
    'When this attempt was made, in seconds since 1970. Refuse a request older than five minutes.',
    {
      type: 'string',
      pattern: '^[0-9]+$',
    },
  ),
  signed(
    'webhook-signature',
    'One signature for each valid secret, separated by spaces: `v1,` and the base64 of the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`.',
    { type: 'string', pattern: '^v1,[A-Za-z0-9+/]+=*( v1,[A-Za-z0-9+/]+=*)*$' },
  ),
]

function signed(name: string, description: string, schema: JsonSchema): ParameterObject {
  return { name, in: 'header', description, required: true, schema, example: HEADER_EXAMPLES[name] }
}

const ANSWERS: OperationObject['responses'] = {
  '2XX': {
    description: 'Delivered. Answer within 15 seconds, before any long work. The response body makes no difference.',
  },
  '410': { description: 'Gone. The subscription is disabled, and nothing more is sent.' },
  default: {
    description:
      'The attempt failed. A redirect or a missing response also counts as a failure. The delivery is retried at increasing intervals. If a 429, 502, 503 or 504 has a `Retry-After` header, the retry waits at least that long.',
  },
}
