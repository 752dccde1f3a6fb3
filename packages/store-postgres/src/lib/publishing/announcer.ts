/**
 * On average, a publishing process notifies workers at most once in this many milliseconds, because transactions that
 * call `NOTIFY` wait for each other to commit. Throughput fell by a third when every publishing transaction called it.
 */
const ANNOUNCE_EVERY_MS = 4
/**
 * After this many milliseconds without a notice, a process may send up to eight notices in a row. So below 250
 * events/s, nearly every event is announced. With a fixed interval between notices, one event in ten was not announced
 * at 50 events/s; workers found it by polling, usually 5 ms later.
 */
const CATCH_UP_MS = 28

/**
 * Returns a function that must be called once per publish. It returns the channel to notify, or null if it is too soon
 * for another notice.
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
