/** Checks, in tsc only, which requests `verifyRequest` accepts and which type it returns. This file never runs. */
import type { IncomingMessage } from 'node:http'
import type { Request as ExpressRequest } from 'express'
import type { FastifyRequest } from 'fastify'
import type { Context, HonoRequest } from 'hono'
import { expectTypeOf } from 'vitest'
import { type CallboardEvent, verifyRequest, type WebhookRequest } from '../request.ts'

declare const request: Request
declare const context: Context
const secret = 'whsec_'

expectTypeOf<Request>().toExtend<WebhookRequest>()
expectTypeOf<IncomingMessage>().toExtend<WebhookRequest>()
expectTypeOf<ExpressRequest>().toExtend<WebhookRequest>()
expectTypeOf<FastifyRequest>().toExtend<WebhookRequest>()
expectTypeOf<HonoRequest>().toExtend<WebhookRequest>()

// @ts-expect-error: Hono's context, whose request is context.req
verifyRequest(context, { secret })
// @ts-expect-error: no secret
verifyRequest(request, {})

interface Shop {
  'order.paid': { order: { id: string } }
  'attendee.checked_in': { attendee: { id: string } }
}

expectTypeOf(verifyRequest(request, { secret })).resolves.toEqualTypeOf<CallboardEvent>()
const event = await verifyRequest<Shop>(request, { secret })
if (event.type === 'order.paid') expectTypeOf(event.data).toEqualTypeOf<Shop['order.paid']>()
else expectTypeOf(event.data).toEqualTypeOf<Shop['attendee.checked_in']>()
