import type { NextFeedPart } from '@callboard/core/engine'

/** The content type of server-sent events (WHATWG HTML, 9.2). */
export const EVENT_STREAM = 'text/event-stream'

/**
 * The headers of a stream. `no-transform` keeps compression from holding events back, and `x-accel-buffering` does so
 * for nginx and the proxies that follow it.
 */
export const STREAM_HEADERS: Readonly<Record<string, string>> = {
  'content-type': EVENT_STREAM,
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
}

/** A reader that takes nothing for this long is disconnected. It loses nothing, because it has its cursor. */
const SLOW_MS = 30_000
/** How long clients wait before they connect again; up to twice as long, so that they do not all come at once. */
const RECONNECT_MS = 1_500
/** The longest piece that is queued at once, in characters. */
const PIECE_LENGTH = 65_536

const encoder = new TextEncoder()

/**
 * Writes a stream of events as server-sent events. Each message has an `id`, which is the cursor after it:
 * - with an event: its JSON in `data`, and no `event` field;
 * - with `event: truncated`, if events before the next one may be missing or repeated;
 * - without `data`, when nothing happened for a while. Clients take the cursor from it, and dispatch no event.
 *
 * @param end called when the stream has ended, for whatever reason.
 */
export function eventStream(
  next: NextFeedPart,
  { end, onError }: { readonly end: () => void; readonly onError: (error: unknown) => void },
): ReadableStream<Uint8Array> {
  let slow: ReturnType<typeof setTimeout> | undefined
  const awaitReader = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    slow = setTimeout(() => {
      end()
      controller.error(new Error('the reader takes no events'))
    }, SLOW_MS)
  }
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const retryMs = Math.round(RECONNECT_MS * (1 + Math.random()))
      // Sent at once, so that the client and everything on the way see that the stream has begun.
      controller.enqueue(encoder.encode(`: events follow\nretry: ${retryMs}\n\n`))
      awaitReader(controller)
    },
    async pull(controller) {
      clearTimeout(slow)
      const part = await next().catch((error) => void onError(error))
      if (part === undefined) {
        end()
        controller.close()
        return
      }
      const { events, cursor, truncated } = part
      // Without an `id`, so that a client that breaks off before the events is told again.
      let piece = truncated ? 'event: truncated\ndata: {}\n\n' : ''
      for (const event of events) {
        piece += `id: ${event.cursor}\ndata: ${event.text}\n\n`
        if (piece.length < PIECE_LENGTH) continue
        controller.enqueue(encoder.encode(piece))
        piece = ''
      }
      if (events.length === 0) piece += `id: ${cursor}\n\n`
      if (piece !== '') controller.enqueue(encoder.encode(piece))
      awaitReader(controller)
    },
    cancel() {
      clearTimeout(slow)
      end()
    },
  })
}
