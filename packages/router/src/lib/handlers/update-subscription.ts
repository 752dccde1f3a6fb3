import type { Engine } from '@callboard/core/engine'
import { readJsonBody } from '../json-body.ts'
import { subscriptionDetails } from '../subscription-details.ts'
import { afterAdmission, type Handler } from './handler.ts'

/** `PATCH /v1/webhooks/subscriptions/:id`. */
export function updateSubscription(engine: Engine): Handler {
  return afterAdmission(engine, async (caller, { request }, { id = '' }) => {
    const changed = await engine.apiSubscriptions.change(caller, id, await readJsonBody(request))
    return { status: 200, body: JSON.stringify(subscriptionDetails(changed)) }
  })
}
