import type { DeliveryStore, FailingRule, LaneSettlement, SettleResult } from '@callboard/core'
import { backOff } from './back-off.ts'

export interface SettlerOptions {
  readonly store: DeliveryStore
  readonly failing: FailingRule
  /** A settlement that could not be written for this long is given up: its lease has run out by then. */
  readonly leaseMs: number
  readonly onSettled: (result: SettleResult) => void
  readonly onError: (error: unknown) => void
  /** Monotonic milliseconds. */
  readonly elapsed: () => number
}

export interface Settler {
  /** Writes one lane's settlement, together with what else is waiting. Resolves when it is written, fenced out or given up. */
  settle(settlement: LaneSettlement): Promise<void>
}

interface Waiting {
  readonly settlement: LaneSettlement
  readonly since: number
  readonly done: () => void
}

/** One statement at a time; what comes meanwhile goes with the next, so batches grow with the load by themselves. */
export function createSettler({ store, failing, leaseMs, onSettled, onError, elapsed }: SettlerOptions): Settler {
  let waiting: Waiting[] = []
  let writing = false

  const write = async (): Promise<void> => {
    writing = true
    for (let failures = 0; waiting.length > 0; ) {
      const batch = waiting
      waiting = []
      try {
        onSettled(
          await store.settle(
            batch.map(({ settlement }) => settlement),
            failing,
          ),
        )
        failures = 0
        for (const { done } of batch) done()
      } catch (error) {
        onError(error)
        failures++
        const oldest = elapsed() - leaseMs
        for (const each of batch) if (each.since <= oldest) each.done()
        waiting = [...batch.filter(({ since }) => since > oldest), ...waiting]
        await backOff(failures)
      }
    }
    writing = false
  }

  return {
    settle: (settlement) =>
      new Promise((done) => {
        waiting.push({ settlement, since: elapsed(), done })
        if (!writing) void write()
      }),
  }
}
