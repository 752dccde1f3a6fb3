/** Checks, in tsc only, which requests `verifyRequest` accepts and which type it returns. This file never runs. */
import type { IncomingMessage } from 'node:http'
import type { Request as ExpressRequest } from 'express'
import type { FastifyRequest } from 'fastify'
import type { Context, HonoRequest } from 'hono'
import { expectTypeOf } from 'vitest'
import { type AnyVersion, type CallboardEvent, verifyRequest, type WebhookRequest } from '../request.ts'

/** The parts that matter of the types in @types/aws-lambda: API Gateway v1, API Gateway v2 and function URLs, ALB. */
type LambdaShapes =
  | {
      headers: { [name: string]: string | undefined }
      multiValueHeaders: { [name: string]: string[] | undefined }
      body: string | null
      isBase64Encoded: boolean
      resource: string
    }
  | {
      headers: { [name: string]: string | undefined }
      body?: string | undefined
      isBase64Encoded: boolean
      rawPath: string
    }
  | {
      headers?: { [name: string]: string | undefined } | undefined
      multiValueHeaders?: { [name: string]: string[] | undefined } | undefined
      body: string | null
      isBase64Encoded: boolean
      path: string
    }

declare const request: Request
declare const context: Context
const secret = 'whsec_'

expectTypeOf<Request>().toExtend<WebhookRequest>()
expectTypeOf<IncomingMessage>().toExtend<WebhookRequest>()
expectTypeOf<ExpressRequest>().toExtend<WebhookRequest>()
expectTypeOf<FastifyRequest>().toExtend<WebhookRequest>()
expectTypeOf<HonoRequest>().toExtend<WebhookRequest>()
expectTypeOf<LambdaShapes>().toExtend<WebhookRequest>()

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

/**
 * Stands in for the type of a catalogue with two format versions. It has only the parts that determine the types of its
 * events.
 */
interface Catalogue {
  readonly types: readonly { readonly name: 'order.paid'; readonly sample: { order: { id: string } } }[]
  readonly versions: {
    readonly '2026-10-01': Pick<Catalogue, 'types'>
    readonly '2026-04-01': {
      readonly types: readonly { readonly name: 'order.paid' | 'order.quoted'; readonly sample: { id: string } }[]
    }
  }
}

// `typeof catalog` describes the current version. An entry of `versions` describes its own version.
expectTypeOf<CallboardEvent<Catalogue>['data']>().toEqualTypeOf<{ order: { id: string } }>()
expectTypeOf<CallboardEvent<Catalogue['versions']['2026-04-01'], 'order.quoted'>['data']>().toEqualTypeOf<{
  id: string
}>()

const versioned = await verifyRequest<AnyVersion<Catalogue>>(request, { secret })
expectTypeOf(versioned.version).toEqualTypeOf<'2026-10-01' | '2026-04-01'>()
expectTypeOf(versioned.type).toEqualTypeOf<'order.paid' | 'order.quoted'>()
if (versioned.version === '2026-10-01') {
  expectTypeOf(versioned.type).toEqualTypeOf<'order.paid'>()
  expectTypeOf(versioned.data).toEqualTypeOf<{ order: { id: string } }>()
} else expectTypeOf(versioned.data).toEqualTypeOf<{ id: string }>()
