import type { Catalog } from '@callboard/core'
import type { Engine } from '@callboard/core/engine'
import type { Reply } from '../reply.ts'
import type { EventTypeList } from '../schemas.ts'
import { afterAdmission, type Handler } from './handler.ts'

/** `GET /v1/event-types`. The catalogue never changes, so the response body is serialised only once. */
export function eventTypes(engine: Engine, { version, listed }: Catalog): Handler {
  const body: EventTypeList = { apiVersion: version, data: listed }
  const reply: Reply = { status: 200, body: JSON.stringify(body) }
  return afterAdmission(engine, () => reply)
}
