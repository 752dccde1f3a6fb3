import type { Router } from '../router.ts'

/** The part of a request of Node's, Express's or Connect's that is used; a type test pins it to the real ones. */
export interface NodeRequest extends AsyncIterable<unknown> {
  readonly method?: string | undefined
  readonly url?: string | undefined
  /** The whole path, where a framework takes the part that it is mounted at off `url`. */
  readonly originalUrl?: string | undefined
  readonly rawHeaders: readonly string[]
  /** What a parser such as `express.json()` made of the body. */
  readonly body?: unknown
  readonly readableDidRead?: boolean | undefined
}

/** What a router answers to a request of Node's: 400 to `TRACE`, or to a header that is none, which no fetch handler can be asked. */
export async function answer({ fetch }: Pick<Router, 'fetch'>, incoming: NodeRequest): Promise<Response> {
  const request = await toRequest(incoming).catch(() => undefined)
  return request === undefined ? new Response(null, { status: 400 }) : fetch(request)
}

/** The headers of a response. Each cookie stays a field of its own: a sign-in, of which a dashboard answers, may set several. */
export function headersOf({ headers }: Response): Record<string, string | string[]> {
  const cookies = headers.getSetCookie()
  return { ...Object.fromEntries(headers), ...(cookies.length > 0 && { 'set-cookie': cookies }) }
}

async function toRequest(incoming: NodeRequest): Promise<Request> {
  const { method = 'GET' } = incoming
  const headers = headersFrom(incoming)
  const url = urlOf(incoming, headers.get('host'))
  if (method === 'GET' || method === 'HEAD') return new Request(url, { method, headers })
  if (incoming.readableDidRead !== true)
    return new Request(url, { method, headers, body: streamOf(incoming), duplex: 'half' } as RequestInit)
  const request = new Request(url, { method, headers, body: unparsed(incoming.body, headers) })
  // Read by somebody who kept nothing of it: the router says so to `onError`, and blames no caller.
  if (incoming.body === undefined) await request.text()
  return request
}

/** All of them: of two `Authorization` values, Node's `headers` would have the first. */
function headersFrom({ rawHeaders }: NodeRequest): Headers {
  const headers = new Headers()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    // Those of HTTP/2 that stand for the request line.
    if (!name.startsWith(':')) headers.append(name, rawHeaders[index + 1] ?? '')
  }
  return headers
}

/** Only the path matters to the router; a `Host` that makes no URL is no reason to refuse. */
function urlOf({ url = '/', originalUrl = url }: NodeRequest, host: string | null): string {
  if (!originalUrl.startsWith('/')) return URL.canParse(originalUrl) ? originalUrl : 'http://localhost/'
  const given = `http://${host}${originalUrl}`
  return host !== null && /^[\w.:[\]-]+$/.test(host) && URL.canParse(given) ? given : `http://localhost${originalUrl}`
}

/** Read as it is asked for, and left open: closing it is the server's part. */
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

/** The text again of what a parser made of it: of a form where the request says so, of JSON otherwise. */
function unparsed(body: unknown, headers: Headers): BodyInit {
  if (typeof body === 'string' || body instanceof Uint8Array) return body as BodyInit
  if (!headers.get('content-type')?.startsWith('application/x-www-form-urlencoded')) return JSON.stringify(body) ?? ''
  const fields = Object.entries(body ?? {}).flatMap(([name, value]: [string, unknown]) =>
    (Array.isArray(value) ? value : [value]).map((each) => [name, String(each)]),
  )
  return new URLSearchParams(fields)
}
