import { setTimeout as delay } from 'node:timers/promises'

/**
 * Returns a function that callers await before each call. It lets through `perSecond` calls a second, in total for all
 * callers. Callers that have fallen behind can catch up by at most one second's worth of calls.
 */
export function createPace(perSecond: number): () => Promise<void> {
  let due = performance.now()
  return async () => {
    due = Math.max(due, performance.now() - 1_000) + 1_000 / perSecond
    const wait = due - performance.now()
    if (wait > 0) await delay(wait)
  }
}
