import type { OperationId } from '../routes.ts'
import { eventsParameters } from '../schemas.ts'
import type { Examples, ProblemExample } from './examples.ts'
import { jsonContent } from './json-content.ts'
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

/** The values that the parameters of operations can have. */
export interface Choices {
  readonly eventTypes: readonly string[]
  /** The format versions that are served. */
  readonly versions: readonly string[]
}

/** Describes the operations. */
export function describeOperations(
  examples: Examples,
  { eventTypes, versions }: Choices,
): Record<OperationId, Described> {
  const version = versionParameter(versions)
  const subscriptionId = idParameter(examples.subscriptionId)
  return {
    getMe: {
      summary: 'Check the key',
      description: 'Returns the account and the scopes of the key. Any valid key works.',
      tag: 'Key',
      success: {
        200: {
          description: 'The key is valid.',
          ...jsonContent('KeyInformation', { key: { summary: 'A key', value: examples.getMe } }),
        },
      },
      parameters: [version],
      problems: ['INVALID_QUERY'],
    },
    listEventTypes: {
      summary: 'List event types',
      description:
        'Lists all event types that you can subscribe to, each with a sample and the paths of its personal data.',
      tag: 'Events',
      success: {
        200: {
          description: 'All event types.',
          ...jsonContent('EventTypeList', { types: { summary: 'Event types', value: examples.listEventTypes } }),
        },
      },
      parameters: [version],
      problems: ['INVALID_QUERY'],
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
        version,
      ],
      success: {
        200: {
          description: 'A page of events.',
          ...jsonContent('EventList', { page: { summary: 'A page that is not the last', value: examples.listEvents } }),
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
      parameters: [version],
      requestBody: jsonContent('WebhookSubscriptionInput', {
        input: { summary: 'Two event types', value: examples.subscriptionInput },
      }),
      success: {
        200: {
          description: 'The subscription already existed.',
          ...jsonContent('WebhookSubscription', {
            existing: { summary: 'An existing subscription', value: examples.existing },
          }),
        },
        201: {
          description: 'The subscription was created. Store its `id` and `secret` together.',
          ...jsonContent('WebhookSubscription', {
            created: { summary: 'A new subscription', value: examples.created },
          }),
        },
      },
      problems: ['INVALID_BODY', 'SUBSCRIPTION_LIMIT_REACHED', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
    },
    updateWebhookSubscription: {
      summary: 'Update a subscription',
      description:
        'Changes the format version that is sent. It applies to all later attempts, including those of earlier events. The key of this request then decides whether personal data is sent, as if it had created the subscription.',
      tag: 'Webhook subscriptions',
      parameters: [subscriptionId, version],
      requestBody: jsonContent('WebhookSubscriptionChanges', {
        version: { summary: 'Another format version', value: { apiVersion: versions[0] ?? '' } },
      }),
      success: {
        200: {
          description: 'The subscription was updated.',
          ...jsonContent('ChangedWebhookSubscription', {
            changed: { summary: 'An updated subscription', value: examples.changed },
          }),
        },
      },
      problems: ['INVALID_BODY', 'NOT_FOUND', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
    },
    deleteWebhookSubscription: {
      summary: 'Delete a subscription',
      description:
        'Stops all deliveries of the subscription within a second. Deleting it again returns the same response.',
      tag: 'Webhook subscriptions',
      parameters: [subscriptionId, version],
      success: { 204: { description: 'The subscription was deleted.' } },
      problems: ['INVALID_QUERY', 'NOT_FOUND'],
    },
  }
}

function idParameter(example: string): ParameterObject {
  const description = 'The `id` returned when the subscription was created.'
  return { name: 'id', in: 'path', description, required: true, schema: { type: 'string' }, example }
}

function versionParameter(versions: readonly string[]): ParameterObject {
  return {
    name: 'Callboard-Version',
    in: 'header',
    description: 'The format version of this request, instead of that of the key.',
    required: false,
    schema: { type: 'string', enum: [...versions] },
  }
}

function query(name: keyof typeof eventsParameters, more: object = {}): ParameterObject {
  const { description, ...schema } = jsonSchemaOf(eventsParameters[name], 'input')
  return { name, in: 'query', description, required: false, schema: { ...schema, ...more } }
}
