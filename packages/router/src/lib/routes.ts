import type { Scope } from '@callboard/core'
import type { ZodType } from 'zod'
import { createSubscription } from './handlers/create-subscription.ts'
import { eventTypes } from './handlers/event-types.ts'
import { events } from './handlers/events.ts'
import type { Handler, RouterCallboard } from './handlers/handler.ts'
import { me } from './handlers/me.ts'
import { removeSubscription } from './handlers/remove-subscription.ts'
import { eventList, eventTypeList, keyInformation, subscriptionBody } from './schemas.ts'

export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  /** What a key must hold; undefined: any valid key will do. */
  readonly scope: Scope | undefined
  /** The body on success; undefined: there is none. */
  readonly response: ZodType | undefined
  readonly handler: (callboard: RouterCallboard) => Handler
}

/** Section 4 of the contract. */
// biome-ignore format: a table
export const routes: readonly Route[] = [
  { method: 'GET', path: '/v1/me', scope: undefined, response: keyInformation, handler: me },
  { method: 'GET', path: '/v1/event-types', scope: 'webhooks.read', response: eventTypeList, handler: eventTypes },
  { method: 'GET', path: '/v1/events', scope: 'webhooks.read', response: eventList, handler: events },
  { method: 'POST', path: '/v1/webhooks/subscriptions', scope: 'webhooks.write', response: subscriptionBody, handler: createSubscription },
  { method: 'DELETE', path: '/v1/webhooks/subscriptions/:id', scope: 'webhooks.write', response: undefined, handler: removeSubscription },
]
