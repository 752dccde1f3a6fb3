import type { Engine } from '@callboard/core/engine'
import { subscriptionDetails } from '../subscription-details.ts'
import { afterAdmission, type Handler } from './handler.ts'

/** `GET /v1/webhooks/subscriptions/:id`. */
export function getSubscription(engine: Engine): Handler {
  return afterAdmission(engine, async (caller, _call, { id = '' }) => {
    const subscription = await engine.apiSubscriptions.find(caller, id)
    return { status: 200, body: JSON.stringify(subscriptionDetails(subscription)) }
  })
}
