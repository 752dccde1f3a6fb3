import type { DeliveryStore } from '@callboard/core'
import { backOffMs } from './back-off.ts'

/** Events that one call gives their place, at most. */
const PLACED_AT_ONCE = 500

export interface PlacingOptions {
  readonly store: Pick<DeliveryStore, 'sequence'>
  /** Monotonic milliseconds. */
  readonly elapsed: () => number
  readonly onError: (error: unknown) => void
}

export interface Placing {
  /** Gives some events their place in the feed and returns how many. Never rejects. */
  place(): Promise<number>
  /** Whether it went well the last time. */
  ok(): boolean
}

/**
 * Placing events backs off by itself: while it fails, what is in the feed already is delivered all the same, and retries
 * keep their times.
 */
export function createPlacing({ store, elapsed, onError }: PlacingOptions): Placing {
  let failures = 0
  let notBefore = Number.NEGATIVE_INFINITY
  return {
    ok: () => failures === 0,
    async place() {
      if (elapsed() < notBefore) return 0
      try {
        const placed = await store.sequence(PLACED_AT_ONCE)
        failures = 0
        return placed
      } catch (error) {
        notBefore = elapsed() + backOffMs(++failures)
        onError(error)
        return 0
      }
    },
  }
}
