import type { Engine } from '@callboard/core/engine'
import type { Reply } from '../reply.ts'
import type { EventTypeList } from '../schemas/event-schemas.ts'
import { afterAdmission, type Handler } from './handler.ts'

/** `GET /v1/event-types`. The catalogue never changes, so each list of event types is serialised only once. */
export function eventTypes(engine: Engine): Handler {
  const { formats } = engine
  const replies = new Map<EventTypeList['data'], Reply>()
  return afterAdmission(engine, ({ account, apiVersion }) => {
    const served = formats.served(apiVersion)
    const data = formats.offered(served, account.id)
    const body: EventTypeList = { apiVersion: served.version, data }
    const reply = replies.get(data) ?? { status: 200, body: JSON.stringify(body) }
    replies.set(data, reply)
    return reply
  })
}
