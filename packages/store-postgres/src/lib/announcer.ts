/**
 * On average, a publishing process notifies workers at most once in this many milliseconds. Transactions that call
 * `NOTIFY` wait for each other to commit: when every transaction called it, throughput fell by a third.
 */
const ANNOUNCE_EVERY_MS = 4
/**
 * Notices that were not needed in this many milliseconds may be sent later, up to eight in a row, so that every event
 * is announced below 250 events/s. With a fixed interval between notices, polling found a tenth of the events at 50
 * events/s, usually 5 ms later.
 */
const CATCH_UP_MS = 28

/**
 * Returns a function that returns the channel for a publishing transaction to notify, or null if it is too soon to
 * notify again.
 */
export function createAnnouncer(channel: string): () => string | null {
  let dueAt = Number.NEGATIVE_INFINITY
  return () => {
    const now = performance.now()
    if (now < dueAt) return null
    dueAt = Math.max(dueAt, now - CATCH_UP_MS) + ANNOUNCE_EVERY_MS
    return channel
  }
}
