import type { Engine } from '@callboard/core/engine'
import { readJsonBody } from '../json-body.ts'
import type { ChangedSubscriptionBody } from '../schemas/subscription-schemas.ts'
import { afterAdmission, type Handler } from './handler.ts'

/** `PATCH /v1/webhooks/subscriptions/:id`. */
export function updateSubscription(engine: Engine): Handler {
  return afterAdmission(engine, async (caller, { request }, { id = '' }) => {
    const changed = await engine.apiSubscriptions.change(caller, id, await readJsonBody(request))
    const { targetUrl, eventTypes, integration, externalRef, apiVersion, createdAt } = changed
    const body: ChangedSubscriptionBody = {
      id,
      targetUrl,
      eventTypes,
      integration,
      externalRef,
      apiVersion,
      createdAt: createdAt.toISOString(),
    }
    return { status: 200, body: JSON.stringify(body) }
  })
}
