import type { Engine } from '@callboard/core/engine'
import { readJsonBody } from '../json-body.ts'
import type { SubscriptionBody } from '../schemas/subscription-schemas.ts'
import { afterAdmission, type Handler } from './handler.ts'

/** `POST /v1/webhooks/subscriptions`. */
export function createSubscription(engine: Engine): Handler {
  return afterAdmission(engine, async (caller, { request }) => {
    const subscription = await engine.apiSubscriptions.create(caller, await readJsonBody(request))
    const { id, created, targetUrl, eventTypes, integration, externalRef, apiVersion, secret, createdAt } = subscription
    const body: SubscriptionBody = {
      id,
      created,
      targetUrl,
      eventTypes,
      integration,
      externalRef,
      apiVersion,
      secret,
      createdAt: createdAt.toISOString(),
    }
    return { status: created ? 201 : 200, body: JSON.stringify(body) }
  })
}
