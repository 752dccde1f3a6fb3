import type { OperationId } from '../routes.ts'
import { eventsParameters } from '../schemas.ts'
import type { Examples, ProblemExample } from './examples.ts'
import { jsonBody } from './json-body.ts'
import { jsonSchemaOf } from './json-schema.ts'
import type { BodyObject, ParameterObject } from './openapi-document.ts'

/** The document's description of an operation, apart from its method, path and scope. */
export interface Described {
  readonly summary: string
  readonly description: string
  readonly tag: Tag
  readonly parameters?: readonly ParameterObject[] | undefined
  readonly requestBody?: BodyObject | undefined
  /** The successful responses, by status. */
  readonly success: Readonly<Record<number, Partial<BodyObject> & { readonly description: string }>>
  /** The error responses of this operation, apart from the common ones, such as 401 and 500. */
  readonly problems: readonly ProblemExample[]
}

type Tag = (typeof TAGS)[number]['name']

/** The sections of the document, in order. */
export const TAGS = [
  { name: 'Key', description: 'The account and scopes of an API key.' },
  { name: 'Events', description: 'The event types of the platform, and recent events.' },
  { name: 'Webhook subscriptions', description: 'Have events sent to your own HTTPS address.' },
  { name: 'Deliveries', description: 'The signed POST request that a subscription receives for each event.' },
] as const

/** Describes the five operations. */
export function describeOperations(examples: Examples, eventTypes: readonly string[]): Record<OperationId, Described> {
  return {
    getMe: {
      summary: 'Check the key',
      description: 'Returns the account and the scopes of the key. Any valid key works.',
      tag: 'Key',
      success: {
        200: {
          description: 'The key is valid.',
          ...jsonBody('KeyInformation', { key: { summary: 'A key', value: examples.getMe } }),
        },
      },
      problems: [],
    },
    listEventTypes: {
      summary: 'List event types',
      description:
        'Lists all event types that you can subscribe to, each with a sample and the paths of its personal data.',
      tag: 'Events',
      success: {
        200: {
          description: 'All event types.',
          ...jsonBody('EventTypeList', { types: { summary: 'Event types', value: examples.listEventTypes } }),
        },
      },
      problems: [],
    },
    listEvents: {
      summary: 'List events',
      description: [
        'Lists recent events, newest first, in the same form as deliveries. Personal data is removed unless the key also has the scope `people.read`.',
        'An event can appear in the list slightly later than newer events. When polling, overlap your reads and drop events whose `id` you have already seen.',
      ].join('\n\n'),
      tag: 'Events',
      parameters: [
        query('type', eventTypes.length === 0 ? {} : { enum: [...eventTypes] }),
        query('limit'),
        query('cursor'),
      ],
      success: {
        200: {
          description: 'A page of events.',
          ...jsonBody('EventList', { page: { summary: 'A page that is not the last', value: examples.listEvents } }),
        },
      },
      problems: ['INVALID_QUERY'],
    },
    createWebhookSubscription: {
      summary: 'Create a subscription',
      description: [
        'Sends future events of the given types to an HTTPS address. Nothing is sent to the address before the first event.',
        'Repeating a request with the same `targetUrl`, `eventTypes` (in any order), `integration` and `externalRef` returns the existing subscription with its secret, so it is safe to retry when a response was lost. The request also enables a disabled subscription, unless the account or the platform disabled it by hand.',
        'An account that creates too many new subscriptions within a minute gets a 429, even if its key is within its rate limits. Finding an existing subscription does not count.',
      ].join('\n\n'),
      tag: 'Webhook subscriptions',
      requestBody: jsonBody('WebhookSubscriptionInput', {
        input: { summary: 'Two event types', value: examples.subscriptionInput },
      }),
      success: {
        200: {
          description: 'The subscription already existed.',
          ...jsonBody('WebhookSubscription', {
            existing: { summary: 'An existing subscription', value: examples.existing },
          }),
        },
        201: {
          description: 'The subscription was created. Store its `id` and `secret` together.',
          ...jsonBody('WebhookSubscription', { created: { summary: 'A new subscription', value: examples.created } }),
        },
      },
      problems: ['INVALID_BODY', 'SUBSCRIPTION_LIMIT_REACHED', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
    },
    deleteWebhookSubscription: {
      summary: 'Delete a subscription',
      description:
        'Stops all deliveries of the subscription within a second. Deleting it again returns the same response.',
      tag: 'Webhook subscriptions',
      parameters: [
        {
          name: 'id',
          in: 'path',
          description: 'The `id` returned when the subscription was created.',
          required: true,
          schema: { type: 'string' },
          example: examples.subscriptionId,
        },
      ],
      success: { 204: { description: 'The subscription was deleted.' } },
      problems: ['NOT_FOUND'],
    },
  }
}

function query(name: keyof typeof eventsParameters, more: object = {}): ParameterObject {
  const { description, ...schema } = jsonSchemaOf(eventsParameters[name], 'input')
  return { name, in: 'query', description, required: false, schema: { ...schema, ...more } }
}
