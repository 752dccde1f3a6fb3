import type { Scope } from '@callboard/core'
import type { Engine } from '@callboard/core/engine'
import { cancelBackfill, getBackfill, startBackfill } from './handlers/backfill.ts'
import { createSubscription } from './handlers/create-subscription.ts'
import { eventFeed } from './handlers/event-feed.ts'
import { eventTypes } from './handlers/event-types.ts'
import { events } from './handlers/events.ts'
import { getEvent } from './handlers/get-event.ts'
import { getSubscription } from './handlers/get-subscription.ts'
import type { Handler } from './handlers/handler.ts'
import { listAttempts } from './handlers/list-attempts.ts'
import { listDeliveries } from './handlers/list-deliveries.ts'
import { listSubscriptions } from './handlers/list-subscriptions.ts'
import { me } from './handlers/me.ts'
import { removeSubscription } from './handlers/remove-subscription.ts'
import { resendDeliveries } from './handlers/resend-deliveries.ts'
import { resendDelivery } from './handlers/resend-delivery.ts'
import { rotateSecret } from './handlers/rotate-secret.ts'
import { type KeyTestSender, sendTest } from './handlers/send-test.ts'
import { sourceAddresses } from './handlers/source-addresses.ts'
import { updateSubscription } from './handlers/update-subscription.ts'
import type { Opening } from './open-requests.ts'

export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  /** The name of the operation in the OpenAPI document, and therefore in generated clients. */
  readonly operation: string
  /** The scope that the key needs; undefined when any valid key works. */
  readonly scope: Scope | undefined
  readonly handler: (engine: Engine, opening: Opening, tests: KeyTestSender | undefined) => Handler
}

// biome-ignore format: a table
export const routes: readonly Route[] = [
  { method: 'GET', path: '/v1/me', operation: 'getMe', scope: undefined, handler: me },
  { method: 'GET', path: '/v1/event-types', operation: 'listEventTypes', scope: 'webhooks.read', handler: eventTypes },
  { method: 'GET', path: '/v1/events', operation: 'listEvents', scope: 'webhooks.read', handler: events },
  { method: 'GET', path: '/v1/events/feed', operation: 'readEventFeed', scope: 'webhooks.read', handler: eventFeed },
  { method: 'GET', path: '/v1/events/:id', operation: 'getEvent', scope: 'webhooks.read', handler: getEvent },
  { method: 'GET', path: '/v1/webhooks/subscriptions', operation: 'listWebhookSubscriptions', scope: 'webhooks.read', handler: listSubscriptions },
  { method: 'POST', path: '/v1/webhooks/subscriptions', operation: 'createWebhookSubscription', scope: 'webhooks.write', handler: createSubscription },
  { method: 'GET', path: '/v1/webhooks/subscriptions/:id', operation: 'getWebhookSubscription', scope: 'webhooks.read', handler: getSubscription },
  { method: 'PATCH', path: '/v1/webhooks/subscriptions/:id', operation: 'updateWebhookSubscription', scope: 'webhooks.write', handler: updateSubscription },
  { method: 'POST', path: '/v1/webhooks/subscriptions/:id/rotate-secret', operation: 'rotateWebhookSecret', scope: 'webhooks.write', handler: rotateSecret },
  { method: 'POST', path: '/v1/webhooks/subscriptions/:id/test', operation: 'sendWebhookTest', scope: 'webhooks.write', handler: sendTest },
  { method: 'DELETE', path: '/v1/webhooks/subscriptions/:id', operation: 'deleteWebhookSubscription', scope: 'webhooks.write', handler: removeSubscription },
  { method: 'GET', path: '/v1/webhooks/subscriptions/:id/deliveries', operation: 'listWebhookDeliveries', scope: 'webhooks.read', handler: listDeliveries },
  { method: 'GET', path: '/v1/webhooks/subscriptions/:id/deliveries/:eventId/attempts', operation: 'listWebhookDeliveryAttempts', scope: 'webhooks.read', handler: listAttempts },
  { method: 'POST', path: '/v1/webhooks/subscriptions/:id/deliveries/:eventId/resend', operation: 'resendWebhookDelivery', scope: 'webhooks.write', handler: resendDelivery },
  { method: 'POST', path: '/v1/webhooks/subscriptions/:id/resend', operation: 'resendWebhookDeliveries', scope: 'webhooks.write', handler: resendDeliveries },
  { method: 'GET', path: '/v1/webhooks/source-addresses', operation: 'listSourceAddresses', scope: undefined, handler: sourceAddresses },
  { method: 'POST', path: '/v1/webhooks/subscriptions/:id/backfill', operation: 'startWebhookBackfill', scope: 'webhooks.write', handler: startBackfill },
  { method: 'GET', path: '/v1/webhooks/subscriptions/:id/backfill', operation: 'getWebhookBackfill', scope: 'webhooks.write', handler: getBackfill },
  { method: 'DELETE', path: '/v1/webhooks/subscriptions/:id/backfill', operation: 'cancelWebhookBackfill', scope: 'webhooks.write', handler: cancelBackfill },
]
