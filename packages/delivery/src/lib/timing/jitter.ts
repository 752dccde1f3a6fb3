const SHARE = 0.2

/**
 * Varies a wait by ±20 %, so that deliveries that failed together are not retried together. `random` returns a number
 * from 0 to just under 1.
 */
export function jitter(milliseconds: number, random: () => number = Math.random): number {
  return Math.round(milliseconds * (1 - SHARE + 2 * SHARE * random()))
}
