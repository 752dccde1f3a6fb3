import type { Shop } from './shop.ts'
import { BUYERS, EVENTS } from './simulation.ts'

const MINUTE_MS = 60_000
const DAY_MINUTES = 24 * 60
const STEP_MINUTES = 20

/** A clock that shows the past until it is set to the present. */
export interface PastClock {
  now(): number
  /** Sets how far the clock is behind, in milliseconds. */
  setBehind(ms: number): void
}

export function createPastClock(): PastClock {
  let behindMs = DAY_MINUTES * MINUTE_MS
  return {
    now: () => Date.now() - behindMs,
    setBehind(ms) {
      behindMs = ms
    },
  }
}

export interface SimulatedDayOptions {
  readonly clock: PastClock
  readonly shop: Shop
  /** Delivers everything that is due by the clock. */
  readonly deliver: () => Promise<unknown>
  /** Called when the day has `hours` left. */
  readonly atHoursLeft: Readonly<Record<number, () => void>>
}

/** Sells tickets for a whole day within seconds, and leaves the clock at the present. */
export async function playDay({ clock, shop, deliver, atHoursLeft }: SimulatedDayOptions): Promise<void> {
  let sales = 0
  for (let left = DAY_MINUTES; left > 0; left -= STEP_MINUTES) {
    clock.setBehind(left * MINUTE_MS)
    if (left % 60 === 0) atHoursLeft[left / 60]?.()
    // More tickets are sold in the second half of the day than in the first.
    const count = Math.round(1.6 - 1.5 * Math.sin((left / DAY_MINUTES) * -2 * Math.PI))
    for (let n = 0; n < count; n++) {
      const [buyer, eventName] = [BUYERS[sales % BUYERS.length], EVENTS[sales % EVENTS.length]]
      await shop.sell({ eventName, buyer, lines: [{ quantity: 1 + (sales % 3) }] })
      if (++sales % 3 === 0) await shop.checkIn({})
    }
    await deliver()
  }
  clock.setBehind(0)
}
