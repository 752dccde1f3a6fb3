import type { Engine } from '@callboard/core/engine'
import { afterAdmission, type Handler } from './handler.ts'

/** `DELETE /v1/webhooks/subscriptions/:id`. */
export function removeSubscription(engine: Engine): Handler {
  return afterAdmission(engine, async (caller, _call, { id = '' }) => {
    await engine.apiSubscriptions.remove(caller, id)
    return { status: 204, body: null }
  })
}
