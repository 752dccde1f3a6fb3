import type { DeliveryRecord } from '@callboard/core'
import { attemptMessage, type Engine } from '@callboard/core/engine'
import { readPageQuery } from '../query.ts'
import type { DeliveryBody, DeliveryListBody } from '../schemas/delivery-schemas.ts'
import { afterAdmission, type Handler } from './handler.ts'

/** `GET /v1/webhooks/subscriptions/:id/deliveries`. */
export function listDeliveries(engine: Engine): Handler {
  return afterAdmission(engine, async (caller, { search }, { id = '' }) => {
    const query = readPageQuery(search, ['state', 'eventId'])
    const { deliveries, nextCursor } = await engine.apiDeliveries.list(caller, id, query)
    const body: DeliveryListBody = { data: deliveries.map(toBody), nextCursor, hasMore: nextCursor !== null }
    return { status: 200, body: JSON.stringify(body) }
  })
}

function toBody(delivery: DeliveryRecord): DeliveryBody {
  const { eventId, type, occurredAt, subject, state, attempts, nextAttemptAt, lastAttempt } = delivery
  return {
    eventId,
    type,
    occurredAt: occurredAt?.toISOString() ?? null,
    subject: subject === undefined ? null : { type: subject.type, id: subject.id },
    state,
    attempts,
    nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
    lastAttempt:
      lastAttempt === undefined
        ? null
        : {
            outcome: lastAttempt.outcome,
            status: lastAttempt.status ?? null,
            reason: lastAttempt.reason ?? null,
            message: attemptMessage(lastAttempt) ?? null,
            at: lastAttempt.at.toISOString(),
          },
  }
}
