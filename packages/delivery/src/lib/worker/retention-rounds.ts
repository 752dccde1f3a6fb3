import { type AnyCallboard, engineOf } from '@callboard/core/engine'
import { createWaker } from '../timing/waker.ts'

/**
 * The longest pause, in milliseconds, before the worker asks the store again whether its turn to apply retention has
 * come.
 */
const ASK_MS = 60_000

export interface RetentionRoundsOptions {
  readonly callboard: AnyCallboard
  /** 0 disables retention in this worker. */
  readonly everyMs: number
  readonly stopping: AbortSignal
  /** The time now, in monotonic milliseconds. */
  readonly elapsed: () => number
}

/** Applies retention in small steps, alongside the deliveries, until the worker stops. Never rejects. */
export async function keepRetention({ callboard, everyMs, stopping, elapsed }: RetentionRoundsOptions): Promise<void> {
  const { store, hooks } = engineOf(callboard)
  const waker = createWaker()

  while (everyMs > 0 && !stopping.aborted) {
    await waker.sleep(Math.min(everyMs, ASK_MS), stopping)
    try {
      if (stopping.aborted || !(await store.maintenance.claimRetentionRound(everyMs))) continue
      const startedAt = elapsed()
      for await (const _ of retentionRound(callboard)) if (stopping.aborted || elapsed() - startedAt >= everyMs) break
    } catch (error) {
      hooks.onError(error)
    }
  }
}

/**
 * Removes rows in small steps, and yields between the steps. The caller may end a round before all rows are removed;
 * the next round then removes the rest.
 */
export async function* retentionRound(callboard: AnyCallboard): AsyncGenerator<void, void, void> {
  const { retention } = callboard
  const { hooks } = engineOf(callboard)
  let expired = 0
  try {
    for (;;) {
      const step = await retention.run({ steps: 1 })
      expired += step.expired
      if (!step.hasMore || step.busy) return
      yield
    }
  } finally {
    if (expired > 0)
      hooks.log({
        level: 'warn',
        message: 'retention removed events before they were delivered',
        fields: { deliveries: expired },
      })
  }
}
