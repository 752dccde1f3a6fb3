import type { Engine } from '@callboard/core/engine'
import { readJsonBody } from '../json-body.ts'
import type { RotatedSecretBody } from '../schemas/subscription-schemas.ts'
import { afterAdmission, type Handler } from './handler.ts'

/** `POST /v1/webhooks/subscriptions/:id/rotate-secret`. */
export function rotateSecret(engine: Engine): Handler {
  return afterAdmission(engine, async (caller, { request }, { id = '' }) => {
    const rotated = await engine.apiSubscriptions.rotateSecret(caller, id, await readJsonBody(request))
    const body: RotatedSecretBody = { id, ...rotated }
    return { status: 200, body: JSON.stringify(body) }
  })
}
