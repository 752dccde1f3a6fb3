import type { Engine } from '@callboard/core/engine'
import { readJsonBody } from '../json-body.ts'
import type { ResentDeliveriesBody } from '../schemas/delivery-schemas.ts'
import { afterAdmission, type Handler } from './handler.ts'

/** `POST /v1/webhooks/subscriptions/:id/resend`. */
export function resendDeliveries(engine: Engine): Handler {
  return afterAdmission(engine, async (caller, { request }, { id = '' }) => {
    const input = await readJsonBody(request)
    const { resent, waiting, nextCursor } = await engine.apiDeliveries.resendRange(caller, id, input)
    const body: ResentDeliveriesBody = { resent, waiting, nextCursor }
    return { status: 202, body: JSON.stringify(body) }
  })
}
