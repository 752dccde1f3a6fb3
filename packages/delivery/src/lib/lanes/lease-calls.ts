import type { DeliveryStore } from '@callboard/core/store'

/** The time between two releases of the lanes of one failed call, in milliseconds. */
const RELEASE_MS = 1_000

export interface LeaseCallsOptions {
  readonly store: Pick<DeliveryStore, 'releaseLeases'>
  /** The id under which the worker leases lanes. */
  readonly worker: string
  readonly leaseMs: number
  /** The time now, in monotonic milliseconds. */
  readonly elapsed: () => number
  /** Called with the number of lanes that were released. */
  readonly onReleased: (lanes: number) => void
}

export interface LeaseCalls {
  /** Calls `ask` with a new call number; `ask` then leases lanes. Rejects if `ask` rejects. */
  makeCall<Answer>(ask: (call: number) => Promise<Answer>): Promise<Answer>
  /**
   * Releases the lanes that were leased by failed calls. A failed call can have leased lanes: perhaps only its answer
   * was lost. Does nothing if no call failed. Rejects if the store cannot be reached.
   */
  releaseCalls(): Promise<void>
  /** Milliseconds until `releaseCalls` has something to do. */
  releaseInMs(): number
}

/**
 * Numbers the calls that lease lanes, and releases the lanes of calls that failed. After a call has failed, its lanes
 * are released at once, and then once a second, because its statement may still be running in the store and lease more
 * lanes. The last release is the first one after `leaseMs` have passed since the failure, because leases from before
 * the failure have then expired.
 */
export function createLeaseCalls({ store, worker, leaseMs, elapsed, onReleased }: LeaseCallsOptions): LeaseCalls {
  const failed = new Map<number, { readonly failedAt: number; readonly releaseAt: number }>()
  let made = 0

  return {
    async makeCall(ask) {
      const call = ++made
      try {
        return await ask(call)
      } catch (error) {
        const failedAt = elapsed()
        failed.set(call, { failedAt, releaseAt: failedAt })
        throw error
      }
    },
    async releaseCalls() {
      const now = elapsed()
      const due = [...failed].filter(([, { releaseAt }]) => releaseAt <= now)
      if (due.length === 0) return
      const lanes = await store.releaseLeases({ of: 'calls', worker, calls: due.map(([call]) => call) })
      for (const [call, { failedAt }] of due) {
        if (now - failedAt >= leaseMs) failed.delete(call)
        else failed.set(call, { failedAt, releaseAt: now + RELEASE_MS })
      }
      if (lanes > 0) onReleased(lanes)
    },
    releaseInMs: () => Math.min(...[...failed.values()].map(({ releaseAt }) => Math.max(0, releaseAt - elapsed()))),
  }
}
