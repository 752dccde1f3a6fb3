import type { Answer } from './answers.ts'
import type { FuzzRequest } from './fuzz-request.ts'
import type { FuzzedPlatform } from './fuzzed-platform.ts'

const ORIGIN = 'https://api.example.com'

/** Sends a request directly to the router. Returns the response, and the path as the `Request` shows it. */
export async function send(
  platform: FuzzedPlatform,
  request: FuzzRequest,
): Promise<{ readonly pathname: string; readonly answer: Answer }> {
  const made = toRequest(platform, request)
  const response = await platform.fetch(made)
  const { status, headers } = response
  return { pathname: new URL(made.url).pathname, answer: { status, headers, body: await response.text() } }
}

function toRequest(platform: FuzzedPlatform, request: FuzzRequest): Request {
  const { method, path, query, body } = request
  const headers = new Headers()
  for (const [name, value] of headersOf(platform, request)) headers.append(name, value)
  const url = `${ORIGIN}${path}${query === '' ? '' : `?${query}`}`
  if (body === undefined || ['GET', 'HEAD', 'get'].includes(method)) return new Request(url, { method, headers })
  // A chunked body is sent as a stream, so that the request has no length. The fetch standard requires `duplex` for
  // streams, but the types lack it.
  const init = {
    method,
    headers,
    body: body.chunked ? pieces(body.bytes) : Uint8Array.from(body.bytes),
    duplex: 'half',
  }
  return new Request(url, init)
}

/** All headers of a request, in order; a name may occur twice. */
export function headersOf({ keys }: FuzzedPlatform, request: FuzzRequest): [string, string][] {
  const { authorization, headers, body } = request
  const all: [string, string][] = headers.map(([name, value]) => [name, value])
  if ('values' in authorization) for (const value of authorization.values) all.push(['authorization', value])
  else {
    const { token } = keys[authorization.key]
    if ('scheme' in authorization) all.push(['authorization', `${authorization.scheme} ${token}`])
    else for (let n = 0; n < 2; n++) all.push(['authorization', `Bearer ${token}`])
  }
  if (body?.contentType !== undefined) all.push(['content-type', body.contentType])
  if (body?.encoding !== undefined) all.push(['content-encoding', body.encoding])
  return all
}

function pieces(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let sent = 0
  return new ReadableStream({
    pull(controller) {
      if (sent >= bytes.length) return controller.close()
      const size = Math.max(1, Math.ceil(bytes.length / 3))
      controller.enqueue(bytes.slice(sent, sent + size))
      sent += size
    },
  })
}
