import type { Reply } from '../reply.ts'
import type { EventTypeList } from '../schemas.ts'
import { afterAdmission, type Handler, type RouterCallboard } from './handler.ts'

/** `GET /v1/event-types` (contract, 4.2). The catalogue does not change, so its text is made once. */
export function eventTypes(callboard: RouterCallboard): Handler {
  const { version, listed } = callboard.catalog
  const body: EventTypeList = { apiVersion: version, data: listed }
  const reply: Reply = { status: 200, body: JSON.stringify(body) }
  return afterAdmission(callboard, () => reply)
}
