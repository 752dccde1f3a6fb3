import type { Router } from '../router.ts'

/** The parts of a Node, Express or Connect request that the router uses. A type test checks that the real types fit. */
export interface NodeRequest extends AsyncIterable<unknown> {
  readonly method?: string | undefined
  readonly url?: string | undefined
  /** The whole path. Express and Connect keep it here, because they remove the mount path from `url`. */
  readonly originalUrl?: string | undefined
  readonly rawHeaders: readonly string[]
  /** The body, if middleware such as `express.json()` has parsed it. */
  readonly body?: unknown
  readonly readableDidRead?: boolean | undefined
}

/** Methods that a fetch `Request` cannot have. */
const FORBIDDEN_METHODS: readonly string[] = ['CONNECT', 'TRACE', 'TRACK']

/**
 * Answers a Node request. The response is a 400 if a fetch `Request` cannot represent the Node request, because a
 * header is invalid.
 *
 * @param gone aborts when the client has left.
 */
export async function answer(
  { fetch }: Pick<Router, 'fetch'>,
  incoming: NodeRequest,
  gone: AbortSignal,
): Promise<Response> {
  const request = await toRequest(incoming, gone).catch(() => undefined)
  return request === undefined ? new Response(null, { status: 400 }) : fetch(request)
}

/**
 * Returns the headers of a response. Each `set-cookie` stays a separate header, because the dashboard's sign-in can set
 * several cookies at once.
 */
export function headersOf({ headers }: Response): Record<string, string | string[]> {
  const cookies = headers.getSetCookie()
  return { ...Object.fromEntries(headers), ...(cookies.length > 0 && { 'set-cookie': cookies }) }
}

async function toRequest(incoming: NodeRequest, signal: AbortSignal): Promise<Request> {
  // No endpoint has the method `FORBIDDEN` either, so the response is the 405 or 404 of its path.
  const method = FORBIDDEN_METHODS.includes(incoming.method ?? '') ? 'FORBIDDEN' : (incoming.method ?? 'GET')
  const headers = headersFrom(incoming)
  const url = urlOf(incoming, headers.get('host'))
  if (method === 'GET' || method === 'HEAD') return new Request(url, { method, headers, signal })
  if (incoming.readableDidRead !== true)
    return new Request(url, { method, headers, body: streamOf(incoming), duplex: 'half' } as RequestInit)
  const request = new Request(url, { method, headers, body: unparsed(incoming.body, headers) })
  // Middleware has read the body and discarded it. Reading the body of `request` sets `bodyUsed`, so that the router
  // refuses the request and reports the mistake to `onError`.
  if (incoming.body === undefined) await request.text()
  return request
}

/**
 * Reads all headers from `rawHeaders`, because Node's `headers` drops a second `Authorization` value, and the router
 * must refuse a request that has two.
 */
function headersFrom({ rawHeaders }: NodeRequest): Headers {
  const headers = new Headers()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    // Skips the pseudo-headers of HTTP/2.
    if (!name.startsWith(':')) headers.append(name, rawHeaders[index + 1] ?? '')
  }
  return headers
}

/** Returns the URL of a request. The router does not use the host, so an invalid `Host` is replaced by `localhost`. */
function urlOf({ url = '/', originalUrl = url }: NodeRequest, host: string | null): string {
  if (!originalUrl.startsWith('/')) return URL.canParse(originalUrl) ? originalUrl : 'http://localhost/'
  const given = `http://${host}${originalUrl}`
  return host !== null && /^[\w.:[\]-]+$/.test(host) && URL.canParse(given) ? given : `http://localhost${originalUrl}`
}

/**
 * Returns a stream that reads the body on demand. Cancelling the stream does not close the request, because the server
 * decides when to close it.
 */
function streamOf(incoming: NodeRequest): ReadableStream {
  const chunks = incoming[Symbol.asyncIterator]()
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
    },
    { highWaterMark: 0 },
  )
}

/** Serialises a parsed body again: as a form if the content type says so, otherwise as JSON. */
function unparsed(body: unknown, headers: Headers): BodyInit {
  if (typeof body === 'string' || body instanceof Uint8Array) return body as BodyInit
  if (!headers.get('content-type')?.startsWith('application/x-www-form-urlencoded')) return JSON.stringify(body) ?? ''
  const fields = Object.entries(body ?? {}).flatMap(([name, value]: [string, unknown]) =>
    (Array.isArray(value) ? value : [value]).map((each) => [name, String(each)]),
  )
  return new URLSearchParams(fields)
}
