import { subscriptionsParameters } from '../../schemas/subscription-schemas.ts'
import { jsonContent } from '../json-content.ts'
import { idParameter, queryParameters } from './parameters.ts'
import type { Section } from './section.ts'

export const subscriptionOperations: Section = ({ examples, testHeader, versions }) => ({
  listWebhookSubscriptions: {
    summary: 'List subscriptions',
    description:
      'Lists the subscriptions that were created through this API, newest first, each with its state and how its deliveries are doing. The conditions select by exact values. No secret is listed.',
    parameters: queryParameters(subscriptionsParameters),
    success: {
      200: {
        description: 'A page of subscriptions.',
        ...jsonContent('WebhookSubscriptionList', {
          page: { summary: 'The last page', value: examples.listSubscriptions },
        }),
      },
    },
  },
  createWebhookSubscription: {
    summary: 'Create a subscription',
    description: [
      'Sends future events of the given types to an HTTPS address. Nothing is sent to the address before the first event.',
      'Repeating a request with the same `targetUrl`, `eventTypes` (in any order), `integration` and `externalRef` returns the existing subscription with its secret, so it is safe to retry when a response was lost. The request also enables a disabled subscription, unless the account or the platform disabled it by hand.',
      'An account that creates too many new subscriptions within a minute gets a 429, even if its key is within its rate limits. Finding an existing subscription does not count.',
    ].join('\n\n'),
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
    problems: ['SUBSCRIPTION_LIMIT_REACHED'],
  },
  getWebhookSubscription: {
    summary: 'Get a subscription',
    description:
      'Returns a subscription with its state, and how its deliveries are doing. It never contains the secret: repeat the request that created the subscription to get that.',
    parameters: [idParameter(examples.subscriptionId)],
    success: {
      200: {
        description: 'The subscription.',
        ...jsonContent('WebhookSubscriptionDetails', {
          subscription: { summary: 'An active subscription', value: examples.subscription },
        }),
      },
    },
    problems: ['NOT_FOUND'],
  },
  updateWebhookSubscription: {
    summary: 'Update a subscription',
    description: [
      'Changes any of the fields, all of them or none. Nothing changes, and nothing is recorded, if all values are the present ones. Otherwise the key of this request then decides whether personal data is sent, as if it had created the subscription.',
      'New event types apply to events that are published from now on; deliveries that are waiting stay. A new target gets all deliveries from now on, those that are waiting at once. A new `apiVersion` applies to all later attempts, including those of earlier events.',
      '`state: disabled` stops the subscription and ends its waiting deliveries. `state: active` starts it again with the next event, unless the platform disabled it.',
    ].join('\n\n'),
    parameters: [idParameter(examples.subscriptionId)],
    requestBody: jsonContent('WebhookSubscriptionChanges', {
      target: {
        summary: 'Another target',
        value: { targetUrl: 'https://hooks.example.com/catch/9135', externalRef: null },
      },
      version: { summary: 'Another format version', value: { apiVersion: versions[0] ?? '' } },
      disabled: { summary: 'No more deliveries', value: { state: 'disabled' } },
    }),
    success: {
      200: {
        description: 'The subscription was updated.',
        ...jsonContent('WebhookSubscriptionDetails', {
          changed: { summary: 'An updated subscription', value: examples.subscription },
        }),
      },
    },
    problems: ['NOT_FOUND', 'SUBSCRIPTION_EXISTS', 'DISABLED_BY_PLATFORM', 'CHANGE_PENDING'],
  },
  rotateWebhookSecret: {
    summary: 'Rotate the secret',
    description: [
      'Replaces the signing secret. The old secret keeps signing beside the new one for `overlapSeconds`, so that deliveries can be verified with either while you switch. The key of this request then decides whether personal data is sent, as if it had created the subscription.',
      '`secretVersion` says which secret to replace. Repeating the request is safe: while the old secret still signs, it returns the new one. A version that is neither gets a 409.',
    ].join('\n\n'),
    parameters: [idParameter(examples.subscriptionId)],
    requestBody: jsonContent('SecretRotation', {
      rotation: { summary: 'Two hours to switch', value: examples.secretRotation },
    }),
    success: {
      200: {
        description: 'The new secret. Store it in place of the old one.',
        ...jsonContent('RotatedSecret', { rotated: { summary: 'A new secret', value: examples.rotatedSecret } }),
      },
    },
    problems: ['NOT_FOUND', 'SECRET_ROTATED'],
  },
  sendWebhookTest: {
    summary: 'Send a test event',
    description: [
      `Sends one event with sample data to the target, now and only once, and answers with what the target did. The event is signed like a delivery and marked: \`"test": true\` in its body, the header \`${testHeader}: true\`, and an \`id\` that begins with \`test_\`. It is not stored, and a failure does not count against the target.`,
      'Test events are limited for each account and for each target host. Do not repeat a request whose response was lost without need: each one sends another event.',
    ].join('\n\n'),
    parameters: [idParameter(examples.subscriptionId)],
    requestBody: jsonContent('TestRequest', { test: { summary: 'A type', value: examples.testRequest } }),
    success: {
      200: {
        description: 'The event was sent, or could not be; see `outcome`.',
        ...jsonContent('SentTest', { failed: { summary: 'A target that failed', value: examples.sentTest } }),
      },
    },
    problems: ['NOT_FOUND', 'SUBSCRIPTION_DISABLED'],
  },
  deleteWebhookSubscription: {
    summary: 'Delete a subscription',
    description:
      'Stops all deliveries of the subscription within a second. Deleting it again returns the same response.',
    parameters: [idParameter(examples.subscriptionId)],
    success: { 204: { description: 'The subscription was deleted.' } },
    problems: ['NOT_FOUND'],
  },
})
