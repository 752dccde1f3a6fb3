import { setTimeout as delay } from 'node:timers/promises'

const FIRST_MS = 100
const LONGEST_MS = 5_000

/**
 * Waits after the n-th failure in a row, or until the signal aborts: 100 ms doubling to 5 s, half of it at random so that
 * workers do not return at once.
 */
export async function backOff(failures: number, signal: AbortSignal): Promise<void> {
  const longest = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS)
  await delay(longest / 2 + (Math.random() * longest) / 2, undefined, { signal }).catch(() => undefined)
}
