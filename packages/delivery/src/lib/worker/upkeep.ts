import { type AnyCallboard, engineOf } from '@callboard/core/engine'
import type { DeliveryStore } from '@callboard/core/store'
import { retentionRound } from './retention-rounds.ts'

/**
 * A process calls the store's `sweep` at most once in this time, in milliseconds. A sweep reads every idle lane, so a
 * sweep in each run would be slow.
 */
const SWEEP_MS = 60_000
const sweptAt = new WeakMap<DeliveryStore, number>()

/**
 * The maintenance that a run does while nothing is due. Calls the store's `sweep`, at most once in `SWEEP_MS`, and
 * applies retention if it is this run's turn. Yields between the steps, so that the run can check whether deliveries
 * have become due. Never rejects.
 *
 * @param retentionMs the option `retentionMs` of a worker.
 */
export async function* upkeep(callboard: AnyCallboard, retentionMs: number): AsyncGenerator<void, void, void> {
  const { store, hooks } = engineOf(callboard)
  try {
    if (performance.now() - (sweptAt.get(store.deliveries) ?? Number.NEGATIVE_INFINITY) > SWEEP_MS) {
      sweptAt.set(store.deliveries, performance.now())
      if ((await store.deliveries.sweep()) > 0) yield
    }
    if (retentionMs > 0 && (await store.maintenance.claimRetentionRound(retentionMs))) yield* retentionRound(callboard)
  } catch (error) {
    hooks.onError(error)
  }
}
