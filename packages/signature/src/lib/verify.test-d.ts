/** Read by tsc, run by nobody: what the compiler lets through and what it refuses. */
import type { IncomingHttpHeaders } from 'node:http'
import { expectTypeOf } from 'vitest'
import {
  type ParsedBody,
  type RawBody,
  type VerifiedWebhook,
  verify,
  verifySync,
  type WebhookHeaders,
} from '../index.ts'

declare const text: string
declare const raw: RawBody
declare const loose: ReturnType<typeof JSON.parse>
declare const order: { id: string }
declare const headers: Headers
const secret = 'whsec_'

expectTypeOf<Headers>().toExtend<WebhookHeaders>()
expectTypeOf<IncomingHttpHeaders>().toExtend<WebhookHeaders>()
expectTypeOf<NodeJS.Dict<string[]>>().toExtend<WebhookHeaders>()
expectTypeOf<Record<string, string>>().toExtend<WebhookHeaders>()
expectTypeOf<Buffer>().toExtend<RawBody>()

expectTypeOf(verify({ body: text, headers, secret })).resolves.toEqualTypeOf<VerifiedWebhook<unknown>>()
expectTypeOf(verifySync<{ id: string }>({ body: raw, headers, secret }).payload).toEqualTypeOf<{ id: string }>()
expectTypeOf(verifySync({ body: Buffer.from(''), headers, secret }).timestamp).toEqualTypeOf<Date>()

// What `express.raw()` leaves in `req.body` is `any` and right, so `any` passes; the run time looks again.
verifySync({ body: loose, headers, secret })

// @ts-expect-error: parsed JSON
verifySync({ body: order, headers, secret })
// @ts-expect-error: parsed JSON, with the payload's type given
verifySync<{ id: string }>({ body: order, headers, secret })
// @ts-expect-error: nobody knows what it is
verify({ body: JSON.parse(text) as unknown, headers, secret })
// @ts-expect-error: parsed JSON in one of its cases
verify({ body: loose ? text : order, headers, secret })

// The refusal reads as a sentence: this is the type that an object body is compared with.
expectTypeOf<Parameters<typeof verify<unknown, { id: string }>>[0]['body']>().toEqualTypeOf<ParsedBody>()
