import {
  apiSubscriptionChanges,
  apiSubscriptionInput,
  backfillInput,
  EVENT_TYPES_COUNT,
  resendRangeInput,
  secretRotation,
  testRequest,
} from '@callboard/core/engine'
import { RESENDABLE_STATES } from '@callboard/core/store'
import { type JsonSchema, jsonSchemaOf } from './json-schema.ts'

/** The values that fields of inputs can have. */
export interface InputChoices {
  readonly eventTypes: readonly string[]
  readonly integrations: readonly string[]
  /** The format versions that are served. */
  readonly versions: readonly string[]
}

/** Returns the schemas of all inputs, by their names in the document. */
export function inputSchemas(choices: InputChoices): Record<string, JsonSchema> {
  return {
    WebhookSubscriptionInput: inputSchema(choices),
    WebhookSubscriptionChanges: changesSchema(choices),
    WebhookResendRange: rangeSchema(),
    TestRequest: { ...jsonSchemaOf(testRequest, 'input'), description: 'The test event to send.' },
    SecretRotation: { ...jsonSchemaOf(secretRotation, 'input'), description: 'The secret to replace.' },
    WebhookBackfillInput: { ...jsonSchemaOf(backfillInput, 'input'), description: 'The earlier events to send.' },
  }
}

/**
 * Returns the schema of the input for a new subscription. Unlike the schemas of responses, it lists the names of event
 * types and integrations: a response can contain names that no longer exist.
 */
function inputSchema({ eventTypes, integrations, versions }: InputChoices): JsonSchema {
  const schema = withProperties(jsonSchemaOf(apiSubscriptionInput, 'input'), {
    ...(eventTypes.length > 0 && { eventTypes: namesOf(eventTypes) }),
    integration: { enum: integrations },
    apiVersion: { type: ['string', 'null'], anyOf: undefined, enum: [...versions, null] },
  })
  return { ...schema, description: 'The events to send, and the address to send them to.' }
}

/** Changes properties of a schema. */
function withProperties(schema: JsonSchema, changes: Readonly<Record<string, object>>): JsonSchema {
  const { properties = {} } = schema
  const changed = Object.entries(changes).map(([name, change]) => [name, { ...Object(properties[name]), ...change }])
  return { ...schema, properties: { ...properties, ...Object.fromEntries(changed) } }
}

/** Repeated names count once, so a list of any length is valid if there are no more names than it may contain. */
function namesOf(eventTypes: readonly string[]): object {
  const items = { type: 'string', enum: eventTypes }
  return eventTypes.length > EVENT_TYPES_COUNT.max ? { items } : { items, maxItems: undefined }
}

function changesSchema({ eventTypes, versions }: InputChoices): JsonSchema {
  const schema = withProperties(jsonSchemaOf(apiSubscriptionChanges, 'input'), {
    ...(eventTypes.length > 0 && { eventTypes: namesOf(eventTypes) }),
    apiVersion: { enum: versions },
  })
  const description = 'The changes to a subscription. Send at least one field; the others stay as they are.'
  return { ...schema, description, minProperties: 1 }
}

function rangeSchema(): JsonSchema {
  const items = { type: 'string', enum: RESENDABLE_STATES }
  const schema = withProperties(jsonSchemaOf(resendRangeInput, 'input'), {
    states: { type: ['array', 'null'], anyOf: undefined, items },
  })
  return { ...schema, description: 'The deliveries to resend.' }
}
