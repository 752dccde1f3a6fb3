import { rawBody } from './raw-body.ts'
import type { WebhookHeaders } from './webhook-headers.ts'
import { WebhookVerificationError } from './webhook-verification-error.ts'

/**
 * The common shape of `Request` and the requests of Express, Fastify, Next and Node. The package depends on none of
 * these.
 */
export interface RequestWithBody {
  readonly headers: WebhookHeaders
  /** The body: either unread, or a raw string or raw bytes from `express.raw()` or a Fastify parser. */
  readonly body?: unknown
  /** The raw body, which `fastify-raw-body`, NestJS and Cloud Functions keep beside the parsed body. */
  readonly rawBody?: unknown
}

/** The event of an AWS Lambda function behind an API Gateway (v1 or v2), a load balancer (ALB) or a function URL. */
export interface LambdaEvent {
  readonly headers?: WebhookHeaders | null | undefined
  /** The headers of a load balancer that passes repeated headers. */
  readonly multiValueHeaders?: WebhookHeaders | null | undefined
  readonly body?: unknown
  /** Whether `body` is the base64 of the raw body. */
  readonly isBase64Encoded: boolean
}

/** Hono's `c.req`. */
export interface HonoRequest {
  readonly raw: RequestWithBody
  /** Returns the bytes of the body, even if the body has already been read through Hono. */
  arrayBuffer(): Promise<ArrayBuffer>
}

/** A request from any framework, with a raw or unread body. */
export type WebhookRequest = RequestWithBody | LambdaEvent | HonoRequest

/** Returns the request that has the headers: for Hono, the `Request` inside `c.req`. */
export function requestWithHeaders(request: WebhookRequest): RequestWithBody {
  if ('isBase64Encoded' in request) {
    const { headers, multiValueHeaders, body } = request
    return { headers: headers ?? multiValueHeaders ?? {}, body: body ?? null }
  }
  return 'headers' in request ? request : request.raw
}

/**
 * Returns the raw body of a request: the body that the framework kept, or otherwise up to `maxBytes` from the stream.
 * Throws `BODY_INVALID` if the body has already been parsed or read, `BODY_INCOMPLETE` if the stream breaks off, and
 * `BODY_TOO_LARGE` if the stream is longer than `maxBytes`.
 */
export async function requestBody(request: WebhookRequest, maxBytes: number): Promise<string | Uint8Array> {
  const inner = requestWithHeaders(request)
  const { body, rawBody: kept } = inner
  if (isRaw(kept)) return rawBody(kept)
  if ('isBase64Encoded' in request && request.isBase64Encoded && typeof body === 'string') return fromBase64(body)
  if (isRaw(body)) return rawBody(body)
  const read = wasRead(inner)
  if (body === null && !read) return ''
  // A `Request` has a stream as its `body`. A Node request is itself a stream, and has no `body` until it is parsed.
  const stream = body ?? inner
  if (isStream(stream) && !read && !wasRead(stream)) return readAll(stream, maxBytes)
  if ('raw' in request && !('headers' in request)) return request.arrayBuffer().then(rawBody, refuse)
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

function fromBase64(body: string): string | Uint8Array {
  try {
    return Uint8Array.from(atob(body), (character) => character.charCodeAt(0))
  } catch {
    // A middleware has decoded the body already: JSON is never base64.
    return body
  }
}

async function readAll(stream: AsyncIterable<unknown>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of stream) {
      // A Node stream that has an encoding yields strings.
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

/** Whether a `Request` or a Node stream has already been read. */
function wasRead(value: object): boolean {
  const { bodyUsed, readableDidRead }: { bodyUsed?: unknown; readableDidRead?: unknown } = value
  return bodyUsed === true || readableDidRead === true
}
