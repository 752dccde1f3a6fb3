import type { DeliveryStore, LearntLimits, WorkerAttendance } from '@callboard/core/store'
import { backOffMs } from '../timing/back-off.ts'
import { createWaker } from '../timing/waker.ts'

/**
 * How often a worker attends, in milliseconds. A worker that attends tells the store that it is alive, and takes over
 * from dead workers. The interval is short, so that another worker takes over within a second if the store can see that
 * a process has ended.
 */
const ATTEND_MS = 250

/** The longest pause after an error: a worker must attend again soon after the store is back. */
const LONGEST_PAUSE_MS = 1_000

export interface AttendanceOptions {
  readonly store: Pick<DeliveryStore, 'attend' | 'releaseLeases'>
  /** Returns the worker as it is now. Called each time the worker attends, because its `details` change. */
  readonly worker: () => WorkerAttendance
  /** Called with the store's time, which was read during the call that lasted from `before` to `after`. */
  readonly onClock: (store: Date, before: number, after: number) => void
  /** This process's time, in milliseconds since the epoch. */
  readonly now: () => number
  /** Called with the names of dead workers after the store has taken over their lanes. Those lanes are due now. */
  readonly onTakeover: (names: readonly string[]) => void
  /** Called with the limits of hosts that other workers have learnt. */
  readonly onLimits: (limits: LearntLimits) => void
  readonly onError: (error: unknown) => void
  /** Called after each time, whether it succeeded or not. Never rejects. */
  readonly also: () => Promise<void>
}

export interface Attendance {
  /**
   * Resolves once the worker has attended for the first time, or has failed to. A worker that cannot attend still
   * delivers, but if it dies, its lanes are taken over only after its leases expire.
   */
  readonly begun: Promise<void>
  /** Stops attending and tells the store that the worker has stopped. Never rejects. */
  end(): Promise<void>
}

/**
 * Tells the store repeatedly that this worker is alive, until `end` is called. Each time, the store also takes over the
 * lanes of dead workers.
 */
export function attend(options: AttendanceOptions): Attendance {
  const { store, worker, now, onClock, onTakeover, onLimits, onError, also } = options
  const ending = new AbortController()
  const waker = createWaker()
  let failures = 0

  const once = async (): Promise<void> => {
    try {
      const before = now()
      const { takenOver, limits, clock } = await store.attend(worker())
      onClock(clock, before, now())
      failures = 0
      onLimits(limits)
      if (takenOver.length > 0) onTakeover(takenOver)
    } catch (error) {
      failures++
      onError(error)
    }
  }
  const goOn = async (): Promise<void> => {
    await begun
    while (!ending.signal.aborted) {
      const pauseMs = failures === 0 ? ATTEND_MS : Math.min(backOffMs(failures), LONGEST_PAUSE_MS)
      await waker.sleep(pauseMs, ending.signal)
      if (!ending.signal.aborted) await once()
      await also()
    }
  }

  const begun = once()
  const ended = goOn()
  return {
    begun,
    async end() {
      ending.abort()
      await ended
      // If the last call failed, the store is probably out of reach, and stopping must not wait for it. Another worker
      // will find this one dead.
      if (failures === 0) await store.releaseLeases({ of: 'worker', worker: worker().id }).catch(onError)
    },
  }
}
