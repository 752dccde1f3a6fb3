import type { Call } from './call.ts'
import { rateLimitHeaders } from './rate-limit-headers.ts'

/** A response before the common headers are added. */
export interface Reply {
  readonly status: number
  /** A JSON string, or a stream whose content type is in `headers`; null if there is no body. */
  readonly body: string | ReadableStream<Uint8Array> | null
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Creates the response to a call: the reply with the common headers added. */
export function respond(
  { status, body, headers }: Reply,
  { request, requestId, windows, versionHeaders }: Call,
): Response {
  const all: Record<string, string> = { 'x-request-id': requestId, 'cache-control': 'no-store' }
  if (typeof body === 'string') all['content-type'] = 'application/json'
  if (windows !== undefined) Object.assign(all, rateLimitHeaders(windows))
  if (versionHeaders !== undefined) Object.assign(all, versionHeaders)
  if (headers !== undefined) Object.assign(all, headers)
  if (typeof body !== 'string' || request.method !== 'HEAD') return new Response(body, { status, headers: all })
  all['content-length'] = String(new TextEncoder().encode(body).length)
  return new Response(null, { status, headers: all })
}
