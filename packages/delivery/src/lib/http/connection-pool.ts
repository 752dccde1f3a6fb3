import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import type { AttemptEnd } from './attempt-end.ts'
import type { Connection } from './connection.ts'
import { startReadFirstTimer } from './read-first-timer.ts'

export interface ConnectionPoolOptions {
  /** Idle connections of one origin. */
  readonly perOrigin: number
  /** The most requests in flight for one subscription. */
  readonly perSubscription: number
  /** Idle connections in all. */
  readonly total: number
  readonly idleMs: number
  /** A connection older than this, in milliseconds, is not kept: after it and `idleMs`, a changed DNS answer counts. */
  readonly lifeMs: number
  readonly now: () => number
}

export interface ConnectionPool {
  /**
   * Returns a kept connection, or `undefined` when the caller has to open one. While others of the origin are in use,
   * it first waits for one of them. It does not wait once `perSubscription` are in use, because those may belong to a
   * slow neighbour on the same host. Each check-out must be followed by one check-in.
   */
  checkOut(origin: string, end: AttemptEnd): Connection | undefined | Promise<Connection | undefined>
  /** Ends a check-out. Takes the connection that carried the exchange, in any state, or none. */
  checkIn(origin: string, connection: Connection | undefined): void
  /** Must be called when a connection has closed, for whatever reason. */
  forget(connection: Connection): void
  /** Closes every idle connection, and every one that is checked in later. */
  close(): void
}

/**
 * How long a request waits for one of its target's busy connections before it opens another. A handshake costs each
 * side as much as a dozen requests (0.7 ms against 45 µs, measured). Once `total` are open, the request keeps waiting
 * while the target's connections come free. One more would displace another target's, which would have to be opened
 * again. With 2,000 targets and ten requests to each at once, this allows 12,000 requests a second instead of 1,700
 * (measured).
 */
const PATIENCE_MS = 25
/**
 * A process whose event loop is busy for more than this share of the time waits this long, in milliseconds, because
 * handshakes would delay the very requests that wait. A longer wait would outlast what a worker knows about the
 * subscription. Without it, draining 200 targets at ten requests each opened 1,750 connections in 24,000 requests,
 * which took 21 of the 119 µs of a request. With it, 250 to 400 are open (6 µs with 552).
 */
const BUSY = 0.8
const BUSY_PATIENCE_MS = 200
/** The longest wait. It counts against the attempt's deadline, which is meant for the target. */
const LONGEST_PATIENCE_MS = 1_000

type Waiter = (connection: Connection | undefined) => void

interface Place {
  /** The most recently used is last and is taken first, so that the surplus of a burst expires. */
  readonly idle: Connection[]
  readonly waiting: Set<Waiter>
  /** Check-outs that have not ended and are not waiting. */
  busy: number
  /** How many waiting requests have been given a connection. */
  served: number
  /** The event loop's utilisation when the first of the waiting requests began to wait. */
  loop: EventLoopUtilization | undefined
}

/** Undefined on runtimes that do not measure it. */
const loopUse = (): EventLoopUtilization | undefined => performance.eventLoopUtilization?.()

function isBusySince(since: EventLoopUtilization | undefined): boolean {
  return since !== undefined && performance.eventLoopUtilization(since).utilization > BUSY
}

/**
 * Keeps connections for the next request: the states `waiting`, `answered` and `idle` of a {@link Connection}. When too
 * many are idle in all, the one unused for longest is displaced.
 */
export function createConnectionPool(options: ConnectionPoolOptions): ConnectionPool {
  const { perOrigin, perSubscription, total, idleMs, lifeMs, now } = options
  const places = new Map<string, Place>()
  /** All idle connections in the order in which they were checked in, each with the timer that closes it. */
  const idle = new Map<Connection, ReturnType<typeof setTimeout>>()
  /** The sum of `busy` over all places. */
  let busy = 0
  let closed = false

  const forget = (connection: Connection): void => {
    clearTimeout(idle.get(connection))
    if (!idle.delete(connection)) return
    const place = places.get(connection.origin)
    if (place === undefined) return
    place.idle.splice(place.idle.indexOf(connection), 1)
    if (place.idle.length === 0 && place.busy === 0 && place.waiting.size === 0) places.delete(connection.origin)
  }
  const drop = (connection: Connection): void => {
    forget(connection)
    connection.close()
  }

  const mayKeep = (connection: Connection, place: Place): boolean =>
    !closed &&
    total > 0 &&
    connection.keepMs() > 0 &&
    place.idle.length < perOrigin &&
    now() - connection.openedAt <= lifeMs

  const keep = (connection: Connection, place: Place): void => {
    // Read only when needed: finding a map's first entry passes over all entries deleted before it.
    const [longestUnused] = idle.size < total ? [] : idle.keys()
    if (longestUnused !== undefined) drop(longestUnused)
    const timer = setTimeout(() => drop(connection), Math.min(idleMs, connection.keepMs()))
    timer.unref()
    idle.set(connection, timer)
    place.idle.push(connection)
  }

  const use = (place: Place): void => {
    place.busy += 1
    busy += 1
  }

  const wait = (place: Place, end: AttemptEnd): Promise<Connection | undefined> =>
    new Promise((resolve) => {
      const take: Waiter = (connection) => {
        if (!place.waiting.delete(take)) return
        patience.cancel()
        use(place)
        resolve(connection)
      }
      let served = place.served
      let waitedMs = 0
      const tire = (): void => {
        const mayComeFree = place.served > served
        served = place.served
        waitedMs += PATIENCE_MS
        const mayWait = mayComeFree && busy + idle.size >= total && waitedMs < LONGEST_PATIENCE_MS
        if (mayWait || (waitedMs < BUSY_PATIENCE_MS && isBusySince(place.loop)))
          patience = startReadFirstTimer(PATIENCE_MS, tire)
        else take(undefined)
      }
      let patience = startReadFirstTimer(PATIENCE_MS, tire)
      end.onEnd(() => take(undefined))
      if (place.waiting.size === 0) place.loop = loopUse()
      place.waiting.add(take)
    })

  return {
    checkOut(origin, end) {
      const place = places.get(origin) ?? { idle: [], waiting: new Set(), busy: 0, served: 0, loop: undefined }
      places.set(origin, place)
      const connection = place.idle.pop()
      const isBurst = place.busy > 0 && place.busy < perSubscription
      if (connection === undefined && isBurst && total > 0) return wait(place, end)
      use(place)
      clearTimeout(connection && idle.get(connection))
      if (connection !== undefined) idle.delete(connection)
      return connection
    },
    checkIn(origin, connection) {
      const place = places.get(origin)
      if (place === undefined) return
      place.busy -= 1
      busy -= 1
      const kept = connection !== undefined && mayKeep(connection, place) ? connection : undefined
      if (kept === undefined) connection?.close()
      const [waiter] = place.waiting
      if (kept !== undefined && waiter !== undefined) place.served += 1
      if (waiter !== undefined) waiter(kept)
      else if (kept !== undefined) keep(kept, place)
      else if (place.busy === 0 && place.idle.length === 0) places.delete(origin)
    },
    forget,
    close() {
      closed = true
      for (const connection of idle.keys()) drop(connection)
    },
  }
}
