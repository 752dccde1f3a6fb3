/** Checks, in tsc only, what the compiler accepts and refuses. This file never runs. */
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

// The compiler accepts `any`, which is the type of a valid body from `express.raw()`. `verify` checks the value at run
// time.
verifySync({ body: loose, headers, secret })

// @ts-expect-error: parsed JSON
verifySync({ body: order, headers, secret })
// @ts-expect-error: parsed JSON, with the payload's type given
verifySync<{ id: string }>({ body: order, headers, secret })
// @ts-expect-error: a value of unknown type
verify({ body: JSON.parse(text) as unknown, headers, secret })
// @ts-expect-error: either text or parsed JSON
verify({ body: loose ? text : order, headers, secret })

// If `body` is an object, the compiler quotes this type in its error, so the error tells the caller what to pass.
expectTypeOf<Parameters<typeof verify<unknown, { id: string }>>[0]['body']>().toEqualTypeOf<ParsedBody>()
