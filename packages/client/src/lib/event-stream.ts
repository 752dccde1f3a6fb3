import { CallboardApiError } from './callboard-api-error.ts'
import type { Connection } from './connection.ts'
import { read } from './exchange.ts'

/** The part of the feed that one message brings. */
export interface FeedPart<Event> {
  readonly events: readonly Event[]
  /** The cursor after the events; undefined if it stays the same. */
  readonly cursor: string | undefined
  /** Whether events before these may be missing or repeated. */
  readonly truncated: boolean
}

/** A stream did not start: something between the client and the API holds it back, or answers in its own way. */
export const NO_STREAM: unique symbol = Symbol('no stream')

/** Long enough for a slow connection; a stream sends its first bytes at once. */
const FIRST_BYTES_MS = 5_000
/** Three times the interval in which a quiet stream sends a message. */
const QUIET_MS = 45_000

/**
 * Opens a stream of server-sent events (WHATWG HTML, 9.2) and yields its messages until it ends. Throws `NO_STREAM` if
 * no stream arrives, and otherwise a `CallboardApiError`, or the signal's reason.
 */
export async function* eventStream<Event>(
  { fetch, base, headers }: Connection,
  path: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<FeedPart<Event>, void, undefined> {
  signal?.throwIfAborted()
  const controller = new AbortController()
  const abort = (): void => controller.abort(signal?.reason)
  signal?.addEventListener('abort', abort)
  let hasStarted = false
  let timer = setTimeout(() => controller.abort(), FIRST_BYTES_MS)
  try {
    const request = { method: 'GET', headers: { ...headers, accept: 'text/event-stream' } } as const
    const url = base + path
    const response = await fetch(url, { ...request, signal: controller.signal, redirect: 'manual' })
    if (!response.ok) read({ response, text: await response.text() }, { method: 'GET', url })
    if (!response.headers.get('content-type')?.startsWith('text/event-stream') || response.body === null)
      throw NO_STREAM
    const reader = response.body.getReader()
    const decoder = new TextDecoder()
    const parse = createParser<Event>()
    for (;;) {
      const { done, value } = await reader.read()
      clearTimeout(timer)
      if (done) return
      hasStarted = true
      yield* parse(decoder.decode(value, { stream: true }))
      timer = setTimeout(() => controller.abort(), QUIET_MS)
    }
  } catch (cause) {
    signal?.throwIfAborted()
    if (cause === NO_STREAM || cause instanceof CallboardApiError) throw cause
    if (controller.signal.aborted && !hasStarted) throw NO_STREAM
    throw new CallboardApiError('UNREACHABLE', 'The stream of events broke off.', { cause })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
    controller.abort()
  }
}

/**
 * Returns a function that takes the pieces of a stream and returns the messages that are complete. The API ends lines
 * with LF, and writes each event in one line.
 */
function createParser<Event>(): (piece: string) => FeedPart<Event>[] {
  let rest = ''
  let fields: Record<string, string> = {}
  return (piece) => {
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    return lines.flatMap((line) => {
      if (line !== '') {
        const [, name = '', value = ''] = /^([^:]*): ?(.*)$/.exec(line) ?? []
        fields[name] = value
        return []
      }
      const { id, event, data } = fields
      fields = {}
      const truncated = event === 'truncated'
      if (id === undefined && !truncated) return []
      return { events: truncated || data === undefined ? [] : [JSON.parse(data)], cursor: id, truncated }
    })
  }
}
