import type { DeliveryStore } from '@callboard/core/store'
import type { Leasing } from '../lanes/leasing.ts'
import { backOffMs } from '../timing/back-off.ts'
import { createWaker, type Waker } from '../timing/waker.ts'
import type { Sequencing } from './sequencing.ts'

/** While notices arrive, the worker looks this often, in milliseconds. */
const LOOK_MS = 1_000
/** The share of the time that looks may take. They are slow while a long transaction keeps many dead rows. */
const LOOKING_PART = 1 / 40
const LONGEST_MS = 5_000

export interface LookoutOptions {
  readonly store: Pick<DeliveryStore, 'backlog'>
  /** The milliseconds between two looks of a worker that rests; undefined while the worker must poll. */
  readonly restMs: () => number | undefined
  /** The time between two looks of a worker that polls, in milliseconds. */
  readonly pollMs: number
  readonly leasing: Pick<Leasing, 'ok'>
  readonly sequencing: Pick<Sequencing, 'ok'>
  readonly wakers: { readonly sequencing: Pick<Waker, 'wake'>; readonly leasing: Pick<Waker, 'wake'> }
  readonly stopping: AbortSignal
  /** The time now, in monotonic milliseconds. */
  readonly elapsed: () => number
  readonly onError: (error: unknown) => void
}

export interface Lookout {
  /**
   * Call this when the store gave notice of events or due lanes, or took over from a worker. Looks within a second,
   * because another worker may need help, or may be gone that knew what is due next.
   */
  onNotice(): void
  /** Call this when it is known that a lane becomes due, in so many milliseconds. */
  onDue(inMs: number): void
  /** Looks until the worker stops. Never rejects. */
  run(): Promise<void>
  /** Whether the last look reached the store. */
  ok(): boolean
  /** Milliseconds since a look last reached the store. */
  sinceContactMs(): number
}

/**
 * Looks for work on behalf of a worker that rests: its loops for sequencing and for leasing then sleep until they are
 * woken. One cheap look replaces their polls. It finds what no notice told of, and when the next lane is due
 * (decision 026).
 */
export function createLookout(options: LookoutOptions): Lookout {
  const { store, restMs, pollMs, leasing, sequencing, wakers, stopping, elapsed, onError } = options
  const waker = createWaker()
  let contactAt = elapsed()
  let lookedAt = Number.NEGATIVE_INFINITY
  let lookAt = Number.NEGATIVE_INFINITY
  let dueAt = Number.POSITIVE_INFINITY
  /** The shortest pause after the last look. While a due lane must wait, a worker looks as often as one that polls. */
  let pauseMs = pollMs
  let failures = 0

  const wakeBoth = (): void => {
    wakers.sequencing.wake()
    wakers.leasing.wake()
  }

  const look = async (rest: number): Promise<void> => {
    lookedAt = elapsed()
    lookAt = lookedAt + rest
    dueAt = Number.POSITIVE_INFINITY
    try {
      const { next, nextInMs } = await store.backlog()
      contactAt = elapsed()
      failures = 0
      pauseMs = Math.max(pollMs, Math.min((contactAt - lookedAt) / LOOKING_PART, LONGEST_MS))
      const isWaiting = next !== undefined || !sequencing.ok() || !leasing.ok()
      lookAt = isWaiting ? lookedAt + pauseMs : Math.max(lookAt, lookedAt + pauseMs)
      if (next !== undefined || !sequencing.ok()) wakers.sequencing.wake()
      if (!leasing.ok()) wakers.leasing.wake()
      if (next === undefined && nextInMs !== undefined) dueAt = Math.min(dueAt, contactAt + nextInMs)
    } catch (error) {
      lookAt = elapsed() + Math.min(backOffMs(++failures), LOOK_MS)
      onError(error)
      // Both report in `ok` that the store is out of reach.
      wakeBoth()
    }
  }

  return {
    onNotice() {
      const at = Math.max(lookedAt + LOOK_MS, elapsed() + pauseMs)
      if (at >= lookAt) return
      lookAt = at
      waker.wake()
    },
    onDue(inMs) {
      if (inMs === 0) return wakers.leasing.wake()
      const at = elapsed() + inMs
      if (at >= dueAt) return
      dueAt = at
      waker.wake()
    },
    async run() {
      let wasResting = false
      while (!stopping.aborted) {
        const rest = restMs()
        if (rest === undefined && wasResting) wakeBoth()
        wasResting = rest !== undefined
        const now = elapsed()
        if (now >= dueAt) {
          wakers.leasing.wake()
          dueAt = Number.POSITIVE_INFINITY
          lookAt = Math.min(lookAt, now + pauseMs)
        } else if (rest !== undefined && now >= lookAt) await look(rest)
        else await waker.sleep(Math.min(dueAt - now, rest === undefined ? pollMs : lookAt - now), stopping)
      }
    },
    ok: () => failures === 0,
    sinceContactMs: () => elapsed() - contactAt,
  }
}
