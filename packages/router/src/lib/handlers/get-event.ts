import type { Engine } from '@callboard/core/engine'
import { afterAdmission, type Handler } from './handler.ts'

/** `GET /v1/events/:id`. */
export function getEvent(engine: Engine): Handler {
  return afterAdmission(engine, async (caller, _call, { id = '' }) => {
    return { status: 200, body: await engine.eventTexts.read(caller, id) }
  })
}
