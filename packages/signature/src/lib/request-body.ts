import { rawBody } from './raw-body.ts'
import type { WebhookHeaders } from './webhook-headers.ts'
import { WebhookVerificationError } from './webhook-verification-error.ts'

/** The shape shared by `Request` and the requests of Express, Fastify, Next and Node, so that none is a dependency. */
export interface RequestWithBody {
  readonly headers: WebhookHeaders
  /** Unread, or raw as left by `express.raw()` or a Fastify parser. */
  readonly body?: unknown
  /** The raw body next to the parsed one, as `fastify-raw-body`, NestJS and Cloud Functions keep it. */
  readonly rawBody?: unknown
}

/** Hono's `c.req`. */
export interface HonoRequest {
  readonly raw: RequestWithBody
  /** Returns the bytes, even if the body was read through Hono before. */
  arrayBuffer(): Promise<ArrayBuffer>
}

/** A request of any framework, with a raw or unread body. */
export type WebhookRequest = RequestWithBody | HonoRequest

/** The request that has the headers; for Hono, the one inside. */
export function requestWithHeaders(request: WebhookRequest): RequestWithBody {
  return 'headers' in request ? request : request.raw
}

/**
 * Returns the raw body of a request: the one that the framework kept, otherwise read from the stream, up to `maxBytes`.
 * Throws `BODY_INVALID` if it was parsed or read before, `BODY_INCOMPLETE` or `BODY_TOO_LARGE`.
 */
export async function requestBody(request: WebhookRequest, maxBytes: number): Promise<string | Uint8Array> {
  const inner = requestWithHeaders(request)
  const { body, rawBody: kept } = inner
  if (isRaw(kept)) return rawBody(kept)
  if (isRaw(body)) return rawBody(body)
  const read = wasRead(inner)
  if (body === null && !read) return ''
  // A `Request` has a stream. A Node request is one, and has no `body` until somebody parses it.
  const stream = body ?? inner
  if (isStream(stream) && !read && !wasRead(stream)) return readAll(stream, maxBytes)
  if (!('headers' in request)) return request.arrayBuffer().then(rawBody, refuse)
  return refuse()
}

function refuse(): never {
  throw new WebhookVerificationError(
    'BODY_INVALID',
    'The body was already read or parsed. Express: express.raw({ type: "application/json" }) on this route, ' +
      'before any express.json(). Fastify: addContentTypeParser("application/json", { parseAs: "buffer" }, ' +
      '(request, body, done) => done(null, body)) in this plugin. Or verify first.',
  )
}

async function readAll(stream: AsyncIterable<unknown>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of stream) {
      // A stream with an encoding yields strings.
      const bytes = chunk instanceof Uint8Array ? chunk : new TextEncoder().encode(String(chunk))
      length += bytes.length
      if (length > maxBytes) break
      chunks.push(bytes)
    }
  } catch {
    throw new WebhookVerificationError('BODY_INCOMPLETE', 'The body was cut off')
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

/** Whether a `Request` or a Node stream was read. */
function wasRead(value: object): boolean {
  const { bodyUsed, readableDidRead }: { bodyUsed?: unknown; readableDidRead?: unknown } = value
  return bodyUsed === true || readableDidRead === true
}
