import { attemptMessage, type Engine, type TestSender } from '@callboard/core/engine'
import { readJsonBody } from '../json-body.ts'
import type { Opening } from '../open-requests.ts'
import { Refusal } from '../problem.ts'
import type { SentTestBody } from '../schemas/subscription-schemas.ts'
import { afterAdmission, type Handler } from './handler.ts'

/** What the router needs of a sender of test events. */
export type KeyTestSender = Pick<TestSender, 'sendByKey'>

/** `POST /v1/webhooks/subscriptions/:id/test`. Answers once the target has, or the deadline has passed. */
export function sendTest(engine: Engine, _opening: Opening, tests: KeyTestSender | undefined): Handler {
  return afterAdmission(engine, async (caller, { request }, { id = '' }) => {
    if (tests === undefined)
      throw new Refusal({ code: 'NOT_FOUND', message: 'The platform does not send test events through the API.' })
    const sent = await tests.sendByKey(caller, id, await readJsonBody(request))
    const { eventId, type, outcome, status, reason, durationMs, response } = sent
    const body: SentTestBody = {
      eventId,
      type,
      outcome,
      status: status ?? null,
      reason: reason ?? null,
      message: attemptMessage(sent) ?? null,
      durationMs: Math.round(durationMs),
      response,
    }
    return { status: 200, body: JSON.stringify(body) }
  })
}
