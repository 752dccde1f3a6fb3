import type { DeliveryStore } from '@callboard/core/store'
import { backOffMs } from './back-off.ts'
import type { Leasing } from './leasing.ts'

/** The most events that one call sequences. */
const SEQUENCED_AT_ONCE = 500

/** A worker that has sequenced nothing for this long, in milliseconds, checks whether events are waiting. */
const LOOK_MS = 5_000
/** Sequencing is stuck if two checks in a row find an event that has waited for longer than this, in milliseconds. */
const STUCK_MS = 10_000

export interface SequencingOptions {
  readonly store: Pick<DeliveryStore, 'sequenceAndLease' | 'backlog'>
  /** Starts the visits to the lanes that a sequencing call has leased. */
  readonly leasing: Pick<Leasing, 'take'>
  /** Called when more lanes may have become due. */
  readonly onSequenced: () => void
  /** The time now, in monotonic milliseconds. */
  readonly elapsed: () => number
  readonly onError: (error: unknown) => void
}

export interface Sequencing {
  /** Sequences some events and returns how many. Never rejects. */
  sequence(): Promise<number>
  /** Whether the last call succeeded and sequencing is not stuck. */
  ok(): boolean
}

/**
 * Sequences events and, if the store supports it, leases their lanes in the same call. Leasing them in a separate call
 * would add 1.3 ms. Sequencing backs off separately from leasing: while sequencing fails, events that are already in
 * the feed are still delivered, and retries are sent on time.
 */
export function createSequencing({ store, leasing, onSequenced, elapsed, onError }: SequencingOptions): Sequencing {
  let failures = 0
  let notBefore = Number.NEGATIVE_INFINITY
  let lookedAt = elapsed()
  let looksStuck = 0

  /**
   * Checks whether events wait although this worker has sequenced none. Another process may hold the sequencer's lock
   * without doing its work; every call of this worker then succeeds, but sequences nothing.
   */
  const look = async (sequenced: number): Promise<void> => {
    if (sequenced > 0) looksStuck = 0
    else if (elapsed() - lookedAt < LOOK_MS) return
    else looksStuck = (await store.backlog()).outboxAgeMs > STUCK_MS ? looksStuck + 1 : 0
    lookedAt = elapsed()
  }

  return {
    ok: () => failures === 0 && looksStuck < 2,
    async sequence() {
      if (elapsed() < notBefore) return 0
      try {
        let sequenced = 0
        await leasing.take(async (request) => {
          const result = await store.sequenceAndLease(SEQUENCED_AT_ONCE, request)
          sequenced = result.sequenced
          if (result.rest) onSequenced()
          return result.lanes
        })
        await look(sequenced)
        failures = 0
        return sequenced
      } catch (error) {
        notBefore = elapsed() + backOffMs(++failures)
        onError(error)
        return 0
      }
    },
  }
}
