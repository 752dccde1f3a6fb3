import type { OperationId } from '../routes.ts'
import { eventsParameters } from '../schemas.ts'
import type { Examples, ProblemExample } from './examples.ts'
import { jsonBody } from './json-body.ts'
import { jsonSchemaOf } from './json-schema.ts'
import type { BodyObject, ParameterObject } from './openapi-document.ts'

/** What the document says of an operation beyond its route. */
export interface Described {
  readonly summary: string
  readonly description: string
  readonly tag: Tag
  readonly parameters?: readonly ParameterObject[] | undefined
  readonly requestBody?: BodyObject | undefined
  /** By status. */
  readonly success: Readonly<Record<number, Partial<BodyObject> & { readonly description: string }>>
  /** What may go wrong with this operation, and not with every one. */
  readonly problems: readonly ProblemExample[]
}

type Tag = (typeof TAGS)[number]['name']

/** Parts of the document, in its order. */
export const TAGS = [
  { name: 'Key', description: 'Whose key this is, and what it may do.' },
  { name: 'Events', description: 'What can happen on the platform, and what did.' },
  { name: 'Webhook subscriptions', description: 'Have events sent to an address of your own.' },
  { name: 'Deliveries', description: 'What is sent to the address of a subscription: one signed POST an event.' },
] as const

/** Section 4 of the contract. */
export function describeOperations(examples: Examples, eventTypes: readonly string[]): Record<OperationId, Described> {
  return {
    getMe: {
      summary: 'Check the key',
      description: 'Tells whose key this is and which scopes it has. Any valid key will do.',
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
        'Lists every event type that can be subscribed to, each with a sample and the paths of personal data in it.',
      tag: 'Events',
      success: {
        200: {
          description: 'Every event type.',
          ...jsonBody('EventTypeList', { types: { summary: 'Event types', value: examples.listEventTypes } }),
        },
      },
      problems: [],
    },
    listEvents: {
      summary: 'List events',
      description: [
        'Gives recent events, newest first, as deliveries carry them. Personal data is left out unless the key also has the scope `people.read`.',
        'An event may become visible a little after others that happened later. When polling, overlap your reads and drop events whose `id` you have seen.',
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
          ...jsonBody('EventList', { page: { summary: 'A page with another behind it', value: examples.listEvents } }),
        },
      },
      problems: ['INVALID_QUERY'],
    },
    createWebhookSubscription: {
      summary: 'Create a subscription',
      description: [
        'Has the events of some types sent to an HTTPS address from now on. Nothing is sent to the address before the first event.',
        'Sending the same again (`targetUrl`, `eventTypes` in any order, `integration` and `externalRef`) creates no second one: it gives the one that is there, with its secret, so a lost answer can be asked for again. It also enables a disabled subscription, unless the account or the platform disabled it by hand.',
      ].join('\n\n'),
      tag: 'Webhook subscriptions',
      requestBody: jsonBody('WebhookSubscriptionInput', {
        input: { summary: 'Two event types', value: examples.subscriptionInput },
      }),
      success: {
        200: {
          description: 'The same subscription was there already; nothing was created.',
          ...jsonBody('WebhookSubscription', { existing: { summary: 'One that was there', value: examples.existing } }),
        },
        201: {
          description: 'The subscription was created. Keep `id` and `secret` together.',
          ...jsonBody('WebhookSubscription', { created: { summary: 'A new one', value: examples.created } }),
        },
      },
      problems: ['INVALID_BODY', 'SUBSCRIPTION_LIMIT_REACHED', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
    },
    deleteWebhookSubscription: {
      summary: 'Delete a subscription',
      description:
        'Nothing more is sent to its address, a second later at the latest. Deleting it once more gives the same answer.',
      tag: 'Webhook subscriptions',
      parameters: [
        {
          name: 'id',
          in: 'path',
          description: 'The `id` that creating the subscription gave.',
          required: true,
          schema: { type: 'string' },
          example: examples.subscriptionId,
        },
      ],
      success: { 204: { description: 'The subscription is deleted.' } },
      problems: ['NOT_FOUND'],
    },
  }
}

function query(name: keyof typeof eventsParameters, more: object = {}): ParameterObject {
  const { description, ...schema } = jsonSchemaOf(eventsParameters[name], 'input')
  return { name, in: 'query', description, required: false, schema: { ...schema, ...more } }
}
