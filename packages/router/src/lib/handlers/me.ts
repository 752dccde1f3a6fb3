import type { Engine } from '@callboard/core/engine'
import type { KeyInformation } from '../schemas/key-schemas.ts'
import { afterAdmission, type Handler } from './handler.ts'

/** `GET /v1/me`. */
export function me(engine: Engine): Handler {
  return afterAdmission(engine, ({ account, keyId, scopes }) => {
    const body: KeyInformation = { entity: { id: account.id, name: account.name }, apiKeyId: keyId, scopes }
    return { status: 200, body: JSON.stringify(body) }
  })
}
