import { setTimeout as delay } from 'node:timers/promises'

/** Resolves so many times a second, however many wait for it; what a machine was late with is made up for within a second. */
export function createPace(aSecond: number): () => Promise<void> {
  let due = performance.now()
  return async () => {
    due = Math.max(due, performance.now() - 1_000) + 1_000 / aSecond
    const wait = due - performance.now()
    if (wait > 0) await delay(wait)
  }
}
