import { setTimeout as delay } from 'node:timers/promises'

const FIRST_MS = 100
const LONGEST_MS = 5_000

/**
 * Milliseconds to wait after the n-th consecutive failure: 100 ms, doubled each time up to 5 s. Half of the wait is
 * random, so that workers do not all retry at the same time.
 */
export function backOffMs(failures: number): number {
  const longest = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS)
  return longest / 2 + (Math.random() * longest) / 2
}

/** Waits for {@link backOffMs}, or until the signal aborts. */
export async function backOff(failures: number, signal: AbortSignal | undefined): Promise<void> {
  await delay(backOffMs(failures), undefined, signal && { signal }).catch(() => undefined)
}
