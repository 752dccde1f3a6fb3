import { rawBody } from './raw-body.ts'
import type { WebhookHeaders } from './webhook-headers.ts'
import { WebhookVerificationError } from './webhook-verification-error.ts'

/** A `Request`, or the request of Express, Fastify, Next or Node: what is used of them, so that none is depended on. */
export interface RequestWithBody {
  readonly headers: WebhookHeaders
  /** Unread, or raw: what `express.raw()` or a parser of Fastify's left. */
  readonly body?: unknown
  /** Where some keep the raw body beside the parsed one: `fastify-raw-body`, NestJS, Cloud Functions. */
  readonly rawBody?: unknown
}

/** `c.req` of Hono. */
export interface HonoRequest {
  readonly raw: RequestWithBody
  /** The bytes, also after another reading of the body by Hono's means. */
  arrayBuffer(): Promise<ArrayBuffer>
}

/** A request of any framework, its body raw or unread. */
export type WebhookRequest = RequestWithBody | HonoRequest

/** The request that has the headers: of Hono's, the one inside. */
export function requestWithHeaders(request: WebhookRequest): RequestWithBody {
  return 'headers' in request ? request : request.raw
}

/**
 * The body of a request as it came over the wire: where the framework left it raw, else read from the stream, `maxBytes` at
 * most. Throws `BODY_INVALID` for one that was parsed or read before, `BODY_INCOMPLETE`, `BODY_TOO_LARGE`.
 */
export async function requestBody(request: WebhookRequest, maxBytes: number): Promise<string | Uint8Array> {
  const inner = requestWithHeaders(request)
  const { body, rawBody: kept } = inner
  if (isRaw(kept)) return rawBody(kept)
  if (isRaw(body)) return rawBody(body)
  const read = wasRead(inner)
  if (body === null && !read) return ''
  // A `Request` has a stream, a request of Node's is one, without a `body` while nobody has parsed it.
  const stream = body ?? inner
  if (isStream(stream) && !read && !wasRead(stream)) return readAll(stream, maxBytes)
  if (!('headers' in request)) return request.arrayBuffer().then(rawBody, refuse)
  return refuse()
}

function refuse(): never {
  throw new WebhookVerificationError(
    'BODY_INVALID',
    'The body was read or parsed before. Express: express.raw({ type: "application/json" }) ' +
      'on this route, before any express.json(). Fastify: addContentTypeParser("application/json", { parseAs: "buffer" }, ' +
      '(request, body, done) => done(null, body)) in this plugin. Else: verify first.',
  )
}

async function readAll(stream: AsyncIterable<unknown>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of stream) {
      // A stream with an encoding gives texts.
      const bytes = chunk instanceof Uint8Array ? chunk : new TextEncoder().encode(String(chunk))
      length += bytes.length
      if (length > maxBytes) break
      chunks.push(bytes)
    }
  } catch {
    throw new WebhookVerificationError('BODY_INCOMPLETE', 'The request broke off')
  }
  if (length > maxBytes) throw new WebhookVerificationError('BODY_TOO_LARGE', `The body exceeds ${maxBytes} bytes`)
  const all = new Uint8Array(length)
  let end = 0
  for (const bytes of chunks) {
    all.set(bytes, end)
    end += bytes.length
  }
  return all
}

function isRaw(body: unknown): boolean {
  return typeof body === 'string' || ArrayBuffer.isView(body) || body instanceof ArrayBuffer
}

function isStream(value: object): value is AsyncIterable<unknown> {
  return Symbol.asyncIterator in value
}

/** By a `Request`, or by a stream of Node's. */
function wasRead(value: object): boolean {
  const { bodyUsed, readableDidRead }: { bodyUsed?: unknown; readableDidRead?: unknown } = value
  return bodyUsed === true || readableDidRead === true
}
