import { setTimeout as delay } from 'node:timers/promises'

/** The part of a `pg` client that listening needs. */
export interface PgListener {
  connect(): Promise<unknown>
  query(text: string): Promise<unknown>
  end(): Promise<unknown>
  on(event: 'error' | 'end' | 'notification', listener: () => void): unknown
}

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000

/**
 * Listens to a channel on a connection of its own, and reconnects when that connection is lost. Returns a function that
 * stops listening. Errors are not reported, because notices are only hints: while there is no connection, workers find
 * new events by polling.
 */
export function keepListening(channel: string, open: () => PgListener, onNotice: () => void): () => void {
  const stopping = new AbortController()

  /** Resolves when the connection is lost, or when listening is stopped. */
  const listen = async (onListening: () => void): Promise<void> => {
    const client = open()
    const ended = new Promise<void>((resolve) => {
      client.on('error', resolve)
      client.on('end', resolve)
      stopping.signal.addEventListener('abort', () => resolve(), { once: true })
    })
    client.on('notification', onNotice)
    try {
      await client.connect()
      await client.query(`listen ${channel}`)
      onListening()
      // Events may have been published before this connection listened, so it starts with a notice.
      onNotice()
      await ended
    } finally {
      await client.end()
    }
  }

  const goOn = async (): Promise<void> => {
    for (let pauseMs = FIRST_PAUSE_MS; !stopping.signal.aborted; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      await listen(() => {
        pauseMs = FIRST_PAUSE_MS / 2
      }).catch(() => undefined)
      await delay(pauseMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined)
    }
  }

  void goOn()
  return () => stopping.abort()
}
