const SHARE = 0.2

/** A wait varied by ±20 %, so that what failed together does not come back together. `random` gives a number from 0 up to 1. */
export function jitter(milliseconds: number, random: () => number = Math.random): number {
  return Math.round(milliseconds * (1 - SHARE + 2 * SHARE * random()))
}
