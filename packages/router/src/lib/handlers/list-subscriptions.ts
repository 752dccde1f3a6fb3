import type { Engine } from '@callboard/core/engine'
import { readPageQuery } from '../query.ts'
import type { SubscriptionListBody } from '../schemas/subscription-schemas.ts'
import { subscriptionDetails } from '../subscription-details.ts'
import { afterAdmission, type Handler } from './handler.ts'

/** `GET /v1/webhooks/subscriptions`. */
export function listSubscriptions(engine: Engine): Handler {
  return afterAdmission(engine, async (caller, { search }) => {
    const query = readPageQuery(search, ['integration', 'externalRef', 'targetUrl', 'state'])
    const { data, nextCursor } = await engine.apiSubscriptions.list(caller, query)
    const body: SubscriptionListBody = { data: data.map(subscriptionDetails), nextCursor, hasMore: nextCursor !== null }
    return { status: 200, body: JSON.stringify(body) }
  })
}
