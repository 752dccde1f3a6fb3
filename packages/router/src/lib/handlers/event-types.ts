import type { Engine } from '@callboard/core/engine'
import type { Reply } from '../reply.ts'
import type { EventTypeList } from '../schemas.ts'
import { afterAdmission, type Handler } from './handler.ts'

/** `GET /v1/event-types`. The catalogue never changes, so the response body of each version is serialised only once. */
export function eventTypes(engine: Engine): Handler {
  const replies = new Map<string, Reply>()
  const replyIn = (apiVersion: string): Reply => {
    const { version, listed } = engine.formats.served(apiVersion)
    const body: EventTypeList = { apiVersion: version, data: listed }
    const reply = replies.get(version) ?? { status: 200, body: JSON.stringify(body) }
    replies.set(version, reply)
    return reply
  }
  return afterAdmission(engine, ({ apiVersion }) => replyIn(apiVersion))
}
