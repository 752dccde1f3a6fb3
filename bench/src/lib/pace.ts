import { setTimeout as delay } from 'node:timers/promises'

/** Resolves this many times a second for all callers together. A process that lags catches up by at most a second. */
export function createPace(aSecond: number): () => Promise<void> {
  let due = performance.now()
  return async () => {
    due = Math.max(due, performance.now() - 1_000) + 1_000 / aSecond
    const wait = due - performance.now()
    if (wait > 0) await delay(wait)
  }
}
