import type { Engine } from '@callboard/core/engine'
import { Refusal } from '../problem.ts'
import type { SourceAddressesBody } from '../schemas/source-address-schemas.ts'
import { answerTagged, type TaggedBody, tagBody } from '../tagged-body.ts'
import { afterAdmission, type Handler } from './handler.ts'

/** `GET /v1/webhooks/source-addresses`. Callers may keep the list, but must ask whether it has changed. */
export function sourceAddresses(engine: Engine): Handler {
  const { sourceAddresses: addresses } = engine
  let tagged: Promise<TaggedBody> | undefined
  return afterAdmission(engine, async (_caller, { request }) => {
    if (addresses === undefined)
      throw new Refusal({
        code: 'NOT_FOUND',
        message: 'The platform has not published the addresses of its deliveries. Ask its support.',
      })
    const body: SourceAddressesBody = { data: addresses }
    tagged ??= tagBody(JSON.stringify(body))
    return answerTagged(request, await tagged, { 'cache-control': 'private, no-cache' })
  })
}
