import type { Engine } from '@callboard/core/engine'
import { assertQuery, readQuery, wholeNumber } from '../query.ts'
import type { SubscriptionListBody } from '../schemas/subscription-schemas.ts'
import { subscriptionDetails } from '../subscription-details.ts'
import { afterAdmission, type Handler } from './handler.ts'

/** `GET /v1/webhooks/subscriptions`. */
export function listSubscriptions(engine: Engine): Handler {
  return afterAdmission(engine, async (caller, { search }) => {
    const query = readQuery(search, ['integration', 'externalRef', 'targetUrl', 'state', 'limit', 'cursor'])
    assertQuery(query)
    const { limit, ...conditions } = query.values
    const page = await engine.apiSubscriptions.list(caller, { ...conditions, limit: wholeNumber(limit) })
    const body: SubscriptionListBody = {
      data: page.data.map(subscriptionDetails),
      nextCursor: page.nextCursor,
      hasMore: page.nextCursor !== null,
    }
    return { status: 200, body: JSON.stringify(body) }
  })
}
