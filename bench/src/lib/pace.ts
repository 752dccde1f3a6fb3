import { setTimeout as delay } from 'node:timers/promises'

/**
 * Returns a function that resolves `aSecond` times a second, in total for all its callers. If they have fallen behind,
 * they can catch up by at most one second's worth.
 */
export function createPace(aSecond: number): () => Promise<void> {
  let due = performance.now()
  return async () => {
    due = Math.max(due, performance.now() - 1_000) + 1_000 / aSecond
    const wait = due - performance.now()
    if (wait > 0) await delay(wait)
  }
}
