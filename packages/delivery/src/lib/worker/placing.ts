import type { DeliveryStore } from '@callboard/core/store'
import { backOffMs } from './back-off.ts'
import type { Leasing } from './leasing.ts'

/** Events that one call gives their place, at most. */
const PLACED_AT_ONCE = 500

export interface PlacingOptions {
  readonly store: Pick<DeliveryStore, 'sequenceAndLease'>
  /** Asked for lanes that placing may lease, and starts to send what they have. */
  readonly leasing: Pick<Leasing, 'take'>
  /** There may be lanes to lease. */
  readonly onPlaced: () => void
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
 * An event that is placed goes to its targets by the same step where the store can: a step of its own to lease its lanes took 1.3 ms more.
 * Placing events backs off by itself: while it fails, what is in the feed already is delivered all the same, and retries
 * keep their times.
 */
export function createPlacing({ store, leasing, onPlaced, elapsed, onError }: PlacingOptions): Placing {
  let failures = 0
  let notBefore = Number.NEGATIVE_INFINITY
  return {
    ok: () => failures === 0,
    async place() {
      if (elapsed() < notBefore) return 0
      try {
        let placed = 0
        await leasing.take(async (request) => {
          const result = await store.sequenceAndLease(PLACED_AT_ONCE, request)
          placed = result.placed
          if (result.rest) onPlaced()
          return result.lanes
        })
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
