import type { LoggedAttempt } from '@callboard/core'
import { attemptMessage, type Engine } from '@callboard/core/engine'
import { readPageQuery } from '../query.ts'
import type { AttemptBody, AttemptListBody } from '../schemas/delivery-schemas.ts'
import { afterAdmission, type Handler } from './handler.ts'

/** `GET /v1/webhooks/subscriptions/:id/deliveries/:eventId/attempts`. */
export function listAttempts(engine: Engine): Handler {
  return afterAdmission(engine, async (caller, { search }, { id = '', eventId = '' }) => {
    const query = readPageQuery(search, [])
    const { attempts, nextCursor } = await engine.apiDeliveries.attempts(caller, id, eventId, query)
    const body: AttemptListBody = { data: attempts.map(toBody), nextCursor, hasMore: nextCursor !== null }
    return { status: 200, body: JSON.stringify(body) }
  })
}

function toBody(attempt: LoggedAttempt): AttemptBody {
  const { id, number, outcome, status, reason, startedAt, durationMs, response } = attempt
  return {
    id,
    number,
    outcome,
    status: status ?? null,
    reason: reason ?? null,
    message: attemptMessage(attempt) ?? null,
    at: startedAt.toISOString(),
    durationMs,
    response,
  }
}
