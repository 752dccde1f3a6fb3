import type { DeliveryStore } from '@callboard/core/store'

/** How often a failed call is released, in milliseconds. */
const RELEASE_MS = 1_000

export interface LeaseCallsOptions {
  readonly store: Pick<DeliveryStore, 'releaseCalls'>
  /** The worker's name in the lanes that it leases. */
  readonly worker: string
  readonly leaseMs: number
  /** The time now, in monotonic milliseconds. */
  readonly elapsed: () => number
  /** Called with the number of lanes that were released. */
  readonly onReleased: (lanes: number) => void
}

export interface LeaseCalls {
  /** Makes a call that leases lanes, under a number of its own. Rejects if the call does. */
  make<Answer>(ask: (call: number) => Promise<Answer>): Promise<Answer>
  /**
   * Releases the lanes that failed calls have leased, if the store did what was asked and only the answer was lost.
   * Does nothing if no call failed. Rejects if the store cannot be reached.
   */
  release(): Promise<void>
}

/**
 * Numbers the calls that lease lanes, and releases those that failed. Each is released at once, and then once a second,
 * because its statement may still be running in the store. Once `leaseMs` have passed since the failure, what the call
 * had leased by then has expired, so the next release is the last.
 */
export function createLeaseCalls({ store, worker, leaseMs, elapsed, onReleased }: LeaseCallsOptions): LeaseCalls {
  const failed = new Map<number, { readonly failedAt: number; readonly releaseAt: number }>()
  let made = 0

  return {
    async make(ask) {
      const call = ++made
      try {
        return await ask(call)
      } catch (error) {
        const failedAt = elapsed()
        failed.set(call, { failedAt, releaseAt: failedAt })
        throw error
      }
    },
    async release() {
      const now = elapsed()
      const due = [...failed].filter(([, { releaseAt }]) => releaseAt <= now)
      if (due.length === 0) return
      const lanes = await store.releaseCalls({ worker, calls: due.map(([call]) => call) })
      for (const [call, { failedAt }] of due) {
        if (now - failedAt >= leaseMs) failed.delete(call)
        else failed.set(call, { failedAt, releaseAt: now + RELEASE_MS })
      }
      if (lanes > 0) onReleased(lanes)
    },
  }
}
