import type { Engine } from '@callboard/core/engine'
import type { ResentDeliveryBody } from '../schemas/delivery-schemas.ts'
import { afterAdmission, type Handler } from './handler.ts'

/** `POST /v1/webhooks/subscriptions/:id/deliveries/:eventId/resend`. Its request has no body. */
export function resendDelivery(engine: Engine): Handler {
  return afterAdmission(engine, async (caller, _call, { id = '', eventId = '' }) => {
    const body: ResentDeliveryBody = { outcome: await engine.apiDeliveries.resend(caller, id, eventId) }
    return { status: 202, body: JSON.stringify(body) }
  })
}
