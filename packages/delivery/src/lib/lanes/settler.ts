import { isCallboardError } from '@callboard/core'
import type { DeliveryStore, FailingRule, LaneSettlement, SettleResult } from '@callboard/core/store'
import { backOff } from '../timing/back-off.ts'

export interface SettlerOptions {
  readonly store: Pick<DeliveryStore, 'settle'>
  readonly failing: FailingRule
  /**
   * How long to retry a settlement, in milliseconds. After that time the lane's lease has expired, so the settlement is
   * given up.
   */
  readonly leaseMs: number
  /**
   * Once this signal aborts, failed writes are not retried, because a worker must be able to stop when its store is
   * down.
   */
  readonly signal: AbortSignal
  readonly onSettled: (result: SettleResult, settlements: readonly LaneSettlement[]) => void
  readonly onError: (error: unknown) => void
  /** The time now, in monotonic milliseconds. */
  readonly elapsed: () => number
}

export interface Settler {
  /**
   * Writes one lane's settlement in a batch with others. Resolves with true once the store has written the settlement,
   * or has refused it because the lease was lost. Resolves with false if the settler gave up; the lease then expires,
   * and the lane is visited again. Never rejects.
   */
  settle(settlement: LaneSettlement): Promise<boolean>
  /** How many attempts the last batch recorded. */
  lastRecorded(): number
}

interface Waiting {
  readonly settlement: LaneSettlement
  readonly since: number
  readonly end: (written: boolean) => void
}

/**
 * Writes settlements with one statement at a time. Settlements that arrive while it runs share the next statement, so
 * batches grow with the load.
 */
export function createSettler(options: SettlerOptions): Settler {
  const { store, failing, leaseMs, signal, onSettled, onError, elapsed } = options
  let waiting: Waiting[] = []
  let writing = false
  let lastRecorded = 0

  /** Writes a batch. Returns the settlements that must be written again, because the store could not be reached. */
  const writeBatch = async (batch: readonly Waiting[]): Promise<readonly Waiting[]> => {
    const settlements = batch.map(({ settlement }) => settlement)
    let result: SettleResult
    try {
      result = await store.settle(settlements, failing)
    } catch (error) {
      onError(error)
      if (isCallboardError(error, 'UNAVAILABLE')) return batch
      const [only, ...others] = batch
      if (only !== undefined && others.length === 0) {
        const settlement = inAscii(only.settlement)
        if (settlement !== undefined) return writeBatch([{ ...only, settlement }])
        endAll(batch, false)
        return []
      }
      // A settlement that can never be written must not block the rest of its batch, so each settlement is now written
      // alone.
      const again: Waiting[] = []
      for (const each of batch) again.push(...(await writeBatch([each])))
      return again
    }
    lastRecorded = settlements.reduce((sum, { attempts }) => sum + attempts.length, 0)
    onSettled(result, settlements)
    endAll(batch, true)
    return []
  }

  const write = async (): Promise<void> => {
    writing = true
    for (let failures = 0; waiting.length > 0; ) {
      const batch = waiting
      waiting = []
      const again = await writeBatch(batch)
      failures = again.length > 0 ? failures + 1 : 0
      if (again.length === 0) continue
      const oldest = signal.aborted ? Number.POSITIVE_INFINITY : elapsed() - leaseMs
      const late = again.filter(({ since }) => since <= oldest)
      waiting = [...again.filter((each) => !late.includes(each)), ...waiting]
      endAll(late, false)
      await backOff(failures, signal)
    }
    writing = false
  }

  return {
    settle: (settlement) =>
      new Promise((end) => {
        waiting.push({ settlement, since: elapsed(), end })
        if (!writing) void write()
      }),
    lastRecorded: () => lastRecorded,
  }
}

/**
 * The settlement with `?` in place of every character of a response that some store might refuse; undefined if there is
 * none. A target must not be able to send what keeps its delivery from being recorded, because it would be sent again.
 */
function inAscii(settlement: LaneSettlement): LaneSettlement | undefined {
  const attempts = settlement.attempts.map((attempt) => ({
    ...attempt,
    response: attempt.response?.replace(/[^\t\n\r -~]/gu, '?'),
  }))
  const isSame = attempts.every(({ response }, index) => response === settlement.attempts[index]?.response)
  return isSame ? undefined : { ...settlement, attempts }
}

function endAll(batch: readonly Waiting[], written: boolean): void {
  for (const { end } of batch) end(written)
}
