import type { Engine } from '@callboard/core/engine'
import { readJsonBody } from '../json-body.ts'
import type { Reply } from '../reply.ts'
import type { BackfillBody } from '../schemas/backfill-schemas.ts'
import { afterAdmission, type Handler } from './handler.ts'

type Backfill = Awaited<ReturnType<Engine['apiBackfills']['find']>>

/** `POST /v1/webhooks/subscriptions/:id/backfill`. */
export function startBackfill(engine: Engine): Handler {
  return afterAdmission(engine, async (caller, { request }, { id = '' }) =>
    toReply(await engine.apiBackfills.start(caller, id, await readJsonBody(request))),
  )
}

/** `GET /v1/webhooks/subscriptions/:id/backfill`. */
export function getBackfill(engine: Engine): Handler {
  return afterAdmission(engine, async (caller, _call, { id = '' }) =>
    toReply(await engine.apiBackfills.find(caller, id)),
  )
}

/** `DELETE /v1/webhooks/subscriptions/:id/backfill`. */
export function cancelBackfill(engine: Engine): Handler {
  return afterAdmission(engine, async (caller, _call, { id = '' }) =>
    toReply(await engine.apiBackfills.cancel(caller, id)),
  )
}

function toReply({ state, since, startedAt, reachedAt }: Backfill): Reply {
  const body: BackfillBody = {
    state,
    since: since.toISOString(),
    startedAt: startedAt.toISOString(),
    reachedAt: reachedAt?.toISOString() ?? null,
  }
  return { status: 200, body: JSON.stringify(body) }
}
