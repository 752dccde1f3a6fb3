import { setTimeout as delay } from 'node:timers/promises'
import type { ListenerHooks } from './database.ts'

/** The part of a `pg` client that listening needs. */
export interface PgListener {
  connect(): Promise<unknown>
  query(text: string): Promise<{ readonly rows: readonly unknown[] }>
  end(): Promise<unknown>
  on(event: 'error' | 'end', listener: () => void): unknown
  on(event: 'notification', listener: (notice: { readonly payload?: string | undefined }) => void): unknown
  /** The process id that the server gave when the connection was opened. */
  readonly processID?: number | null | undefined
}

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000

/**
 * If a worker's machine loses power, the server releases the worker's lock after eleven seconds with these settings,
 * and after two hours without them. A process that is only stalled keeps its lock, because its kernel answers.
 */
export const KEEP_ALIVE = 'set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3'

/**
 * Listens to a channel on a dedicated connection, and reconnects when that connection is lost. Returns a function that
 * stops listening. Each connection takes an advisory lock under a new key, so a key whose lock was once seen free is
 * never locked again. Errors are not reported: while there is no connection, workers find new events by polling.
 *
 * Behind a pooler it stops, unless `throughPooler` says that the pooler is in session mode. In transaction mode, the
 * notices would go to whichever client has the server's connection at the moment.
 */
export function keepListening(
  channel: string,
  open: () => PgListener,
  { onNotice, onSession }: ListenerHooks,
  { throughPooler }: { readonly throughPooler: boolean },
): () => void {
  const stopping = new AbortController()

  /** Resolves when the connection is lost, or when listening is stopped. */
  const listen = async (onListening: () => void): Promise<void> => {
    const client = open()
    const ended = new Promise<void>((resolve) => {
      client.on('error', resolve)
      client.on('end', resolve)
      stopping.signal.addEventListener('abort', () => resolve(), { once: true })
    })
    client.on('notification', ({ payload = '' }) => onNotice(payload))
    try {
      await client.connect()
      await client.query(KEEP_ALIVE)
      const session = await takeLock(client)
      const isPooled = session === undefined && typeof client.processID === 'number'
      if (isPooled && !throughPooler) return stopping.abort()
      await client.query(`listen ${channel}`)
      onListening()
      onSession(session)
      await ended
    } finally {
      onSession(undefined)
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

/**
 * Takes an advisory lock under a random key and returns the key. Behind a pooler it takes none: the lock would belong
 * to a server connection that many clients share, and could outlive `client`. A pooler is recognised by its process
 * ids, which differ from the server's.
 */
async function takeLock(client: PgListener): Promise<string | undefined> {
  const key = String(crypto.getRandomValues(new BigInt64Array(1))[0])
  const { rows } = await client.query(
    `select pg_advisory_lock('${key}') where pg_backend_pid() = ${client.processID ?? 0}`,
  )
  return rows.length > 0 ? key : undefined
}
