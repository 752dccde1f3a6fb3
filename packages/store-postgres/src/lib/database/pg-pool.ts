import { unavailable } from './failures.ts'
import type { PgListener } from './pg-listener.ts'

export interface PgQuery {
  readonly name?: string
  readonly text: string
  readonly values: unknown[]
}

interface PgResult {
  readonly rows: unknown[]
}

export interface PgClient {
  query(query: PgQuery): Promise<PgResult>
  query(query: PgQuery, answered: (error: unknown, result: PgResult) => void): unknown
  /** The process id that the server, or a pooler, gave when the connection was opened. */
  readonly processID?: number | null | undefined
  on(event: 'error', listener: (error: Error) => void): unknown
  removeListener(event: 'error', listener: (error: Error) => void): unknown
}

type PgRelease = (error?: Error | boolean) => void

/** The part of a `pg` pool that Callboard uses; a type test checks it against the real type. */
export interface PgPool {
  connect(taken: (error: Error | undefined, client: PgClient | undefined, release: PgRelease) => void): void
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'acquire', listener: (client: PgClient) => void): unknown
  /**
   * The class and the options of the pool's clients. They are used to open one more connection, outside the pool, to
   * listen.
   */
  readonly Client?: (new (options: unknown) => PgListener) | undefined
  readonly options?: unknown
}

/**
 * Whether the connection leads to the server itself. A pooler gives each client a process id of its own, which differs
 * from that of the server's process. A client that does not know its process id counts as direct.
 */
export async function isDirect(client: PgClient, timeoutMs: number): Promise<boolean> {
  const { processID = null } = client
  if (processID === null) return true
  const text = 'select pg_backend_pid() as pid'
  const [row] = await query(client, { text, values: [] }, timeoutMs)
  return typeof row === 'object' && row !== null && 'pid' in row && row.pid === processID
}

export interface Taken {
  readonly client: PgClient
  /** Releases the client, or closes it if it is lost. */
  release(lost: Error | undefined): void
}

/**
 * Runs a query within a time limit in milliseconds. After a timeout, the caller must close the connection, because the
 * query may still be running.
 *
 * Passes a callback to `pg`. With the promise of `client.query`, or with its `query_timeout`, all results stayed
 * reachable until the next full garbage collection (Node 24.21, pg 8.23). Each collection of young objects then copied
 * them, and took 2 ms instead of 0.3.
 */
export function query(client: PgClient, asked: PgQuery, timeoutMs: number): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('Query read timeout')), timeoutMs)
    client.query(asked, (error, result) => {
      clearTimeout(timer)
      if (error instanceof Error) reject(error)
      else resolve(result.rows)
    })
  })
}

/**
 * Limits the wait for a client, because a pool without a timeout of its own lets callers wait forever. If the client
 * comes after the time limit, it is released at once.
 *
 * The error listener is added within the callback. A server that is shutting down may accept a connection and end it
 * immediately, which makes the client emit an error. If a promise delivered the client, the error would come before the
 * listener was added, and would end the process (measured).
 */
export function connect(pool: PgPool, timeoutMs: number): Promise<Taken> {
  return new Promise((resolve, reject) => {
    let late = false
    const timer = setTimeout(() => {
      late = true
      reject(unavailable(new Error('the pool had no connection available in time')))
    }, timeoutMs)
    pool.connect((error, client, release) => {
      clearTimeout(timer)
      if (client === undefined) return reject(error)
      if (late) return release()
      let lost: Error | undefined
      const onLost = (reason: Error): void => {
        lost = reason
      }
      client.on('error', onLost)
      resolve({
        client,
        release(broken) {
          client.removeListener('error', onLost)
          release(broken ?? lost)
        },
      })
    })
  })
}

const pooledClients = new WeakMap<PgPool, WeakMap<object, PgClient>>()

/**
 * Returns the clients that a pool has handed out since this function was first called for it. Also adds an error
 * listener to the pool. A restart of the database ends idle connections; without a listener, the pool's `error` event
 * would then end the process.
 */
export function listenTo(pool: PgPool): WeakMap<object, PgClient> {
  const known = pooledClients.get(pool)
  if (known !== undefined) return known
  const clients = new WeakMap<object, PgClient>()
  pooledClients.set(pool, clients)
  pool.on('error', () => undefined)
  pool.on('acquire', (client) => clients.set(client, client))
  return clients
}
