import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import type { AttemptEnd } from './attempt-end.ts'
import type { Connection } from './connection.ts'
import { startReadFirstTimer } from './read-first-timer.ts'

export interface ConnectionPoolOptions {
  /** The maximum number of idle connections to one origin. */
  readonly perOrigin: number
  /** The maximum number of idle connections in all. */
  readonly total: number
  readonly idleMs: number
  /**
   * A connection that is older than this, in milliseconds, is closed at its check-in. A changed DNS answer therefore
   * takes effect after at most this time plus `idleMs`.
   */
  readonly lifeMs: number
  readonly now: () => number
}

export interface ConnectionPool {
  /**
   * Returns an idle connection, or `undefined` if the caller has to open one. If no connection to the origin is idle
   * but some are in use, first waits for one of them to become free. Each check-out must be followed by one check-in.
   */
  checkOut(origin: string, end: AttemptEnd): Connection | undefined | Promise<Connection | undefined>
  /**
   * Ends a check-out. Pass the connection that carried the exchange, whatever its state, or nothing if there was none.
   */
  checkIn(origin: string, connection: Connection | undefined): void
  /** Must be called when a connection has closed, for whatever reason. */
  forget(connection: Connection): void
  /** Closes the idle connections immediately, and each of the others when it is checked in. */
  close(): void
}

/**
 * How long, in milliseconds, a request waits for one of its target's busy connections before it opens a new one. A
 * handshake costs each side as much as a dozen requests (0.7 ms against 45 µs, measured). With this wait, 5,000
 * deliveries of 500 subscriptions to one host opened 20 to 50 connections.
 *
 * Once `total` connections are open, a new one would displace a connection to another target. A request then waits
 * longer, as long as its target's connections keep becoming free. With 2,000 targets and ten concurrent requests to
 * each, the longer wait allows 12,000 requests a second instead of 1,700 (measured).
 */
const PATIENCE_MS = 25
/**
 * While the event loop is busy for more than this share of the time, a request waits for up to `BUSY_PATIENCE_MS`,
 * because handshakes would make it even busier. The limit is short, because a request must start within a second after
 * the worker checked its subscription. For 24,000 requests to 200 targets, this wait lowered the number of connections
 * from 1,750 to 400 at most (measured).
 */
const BUSY = 0.8
const BUSY_PATIENCE_MS = 200
/**
 * The longest that a request waits for a connection, in milliseconds. The wait counts towards the attempt's deadline,
 * so it must leave time for the target.
 */
const LONGEST_PATIENCE_MS = 1_000

type Waiter = (connection: Connection | undefined) => void

interface OriginPool {
  /**
   * The idle connections, most recently used last. Requests take the last one first, so that the connections left over
   * from a burst stay unused and expire.
   */
  readonly idle: Connection[]
  /** The requests that wait for a connection, oldest first. `createAttemptsInFlight` says why this is not a `Set`. */
  readonly waiting: Waiter[]
  /** How many requests are between check-out and check-in, not counting requests that wait for a connection. */
  busy: number
  /** How many requests so far have waited for a connection and received one. */
  served: number
  /** The event loop's utilisation when the first of the waiting requests began to wait. */
  loop: EventLoopUtilization | undefined
}

/** How busy the event loop has been; undefined on runtimes that do not measure it. */
const loopUse = (): EventLoopUtilization | undefined => performance.eventLoopUtilization?.()

function isBusySince(since: EventLoopUtilization | undefined): boolean {
  return since !== undefined && performance.eventLoopUtilization(since).utilization > BUSY
}

/**
 * Creates the pool. It implements the states `waiting`, `answered` and `idle` in the diagram at {@link Connection}. If
 * `total` connections are already idle, keeping another one closes the least recently used.
 */
export function createConnectionPool(options: ConnectionPoolOptions): ConnectionPool {
  const { perOrigin, total, idleMs, lifeMs, now } = options
  const pools = new Map<string, OriginPool>()
  /** All idle connections in the order in which they were checked in, each with the timer that closes it. */
  const idle = new Map<Connection, ReturnType<typeof setTimeout>>()
  /** The sum of `busy` over all origins. */
  let busy = 0
  let closed = false

  const forget = (connection: Connection): void => {
    clearTimeout(idle.get(connection))
    if (!idle.delete(connection)) return
    const pool = pools.get(connection.origin)
    if (pool === undefined) return
    pool.idle.splice(pool.idle.indexOf(connection), 1)
    if (pool.idle.length === 0 && pool.busy === 0 && pool.waiting.length === 0) pools.delete(connection.origin)
  }
  const drop = (connection: Connection): void => {
    forget(connection)
    connection.close()
  }

  const mayKeep = (connection: Connection, pool: OriginPool): boolean =>
    !closed &&
    total > 0 &&
    connection.keepMs() > 0 &&
    pool.idle.length < perOrigin &&
    now() - connection.openedAt <= lifeMs

  const keep = (connection: Connection, pool: OriginPool): void => {
    // The first key is read only when a connection must be closed, because the map skips all deleted entries before it
    // one by one.
    const [longestUnused] = idle.size < total ? [] : idle.keys()
    if (longestUnused !== undefined) drop(longestUnused)
    const timer = setTimeout(() => drop(connection), Math.min(idleMs, connection.keepMs()))
    timer.unref()
    idle.set(connection, timer)
    pool.idle.push(connection)
  }

  const use = (pool: OriginPool): void => {
    pool.busy += 1
    busy += 1
  }

  const wait = (pool: OriginPool, end: AttemptEnd): Promise<Connection | undefined> =>
    new Promise((resolve) => {
      const takeConnection: Waiter = (connection) => {
        const index = pool.waiting.indexOf(takeConnection)
        if (index < 0) return
        pool.waiting.splice(index, 1)
        patience.cancel()
        use(pool)
        resolve(connection)
      }
      let served = pool.served
      let waitedMs = 0
      const tire = (): void => {
        const mayComeFree = pool.served > served
        served = pool.served
        waitedMs += PATIENCE_MS
        const mayWait = mayComeFree && busy + idle.size >= total && waitedMs < LONGEST_PATIENCE_MS
        if (mayWait || (waitedMs < BUSY_PATIENCE_MS && isBusySince(pool.loop)))
          patience = startReadFirstTimer(PATIENCE_MS, tire)
        else takeConnection(undefined)
      }
      let patience = startReadFirstTimer(PATIENCE_MS, tire)
      end.onEnd(() => takeConnection(undefined))
      if (pool.waiting.length === 0) pool.loop = loopUse()
      pool.waiting.push(takeConnection)
    })

  return {
    checkOut(origin, end) {
      const pool = pools.get(origin) ?? { idle: [], waiting: [], busy: 0, served: 0, loop: undefined }
      pools.set(origin, pool)
      const connection = pool.idle.pop()
      if (connection === undefined && pool.busy > 0 && total > 0) return wait(pool, end)
      use(pool)
      clearTimeout(connection && idle.get(connection))
      if (connection !== undefined) idle.delete(connection)
      return connection
    },
    checkIn(origin, connection) {
      const pool = pools.get(origin)
      if (pool === undefined) return
      pool.busy -= 1
      busy -= 1
      const kept = connection !== undefined && mayKeep(connection, pool) ? connection : undefined
      if (kept === undefined) connection?.close()
      const [waiter] = pool.waiting
      if (kept !== undefined && waiter !== undefined) pool.served += 1
      if (waiter !== undefined) waiter(kept)
      else if (kept !== undefined) keep(kept, pool)
      else if (pool.busy === 0 && pool.idle.length === 0) pools.delete(origin)
    },
    forget,
    close() {
      closed = true
      for (const connection of idle.keys()) drop(connection)
    },
  }
}
