import { setTimeout as delay } from 'node:timers/promises'

const FIRST_MS = 100
const LONGEST_MS = 5_000

/** Milliseconds to wait after the n-th failure in a row: 100 ms doubling to 5 s, half at random so that workers part. */
export function backOffMs(failures: number): number {
  const longest = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS)
  return longest / 2 + (Math.random() * longest) / 2
}

/** Waits as long as {@link backOffMs} says, or until the signal aborts. */
export async function backOff(failures: number, signal: AbortSignal): Promise<void> {
  await delay(backOffMs(failures), undefined, { signal }).catch(() => undefined)
}
