import { ATTEND_MS, type DeliveryStore, type LearntLimits, type WorkerAttendance } from '@callboard/core/store'
import { backOffMs } from '../timing/back-off.ts'
import { createWaker } from '../timing/waker.ts'

/**
 * The longest pause, in milliseconds, while the worker's details have changed, and after an error: a worker must attend
 * again soon after the store is back.
 */
const CHANGED_MS = 1_000

export interface AttendanceOptions {
  readonly store: Pick<DeliveryStore, 'attend' | 'releaseLeases'>
  /** Returns the worker as it is now. Called each time the worker attends, because its `details` change. */
  readonly worker: () => WorkerAttendance
  /**
   * Whether the worker holds lanes. A short visit is over before anybody could take them, so only a worker that holds
   * some for longer attends as often as one that works.
   */
  readonly isVisiting: () => boolean
  /** Called with the store's time, which was read during the call that lasted from `before` to `after`. */
  readonly onClock: (store: Date, before: number, after: number) => void
  /** This process's time, in milliseconds since the epoch. */
  readonly now: () => number
  /** Called with the names of dead workers after the store has taken over their lanes. Those lanes are due now. */
  readonly onTakeover: (names: readonly string[]) => void
  /** Called with the limits of hosts that other workers have learnt. */
  readonly onLimits: (limits: LearntLimits) => void
  readonly onError: (error: unknown) => void
  /** Called every `ATTEND_MS`. Never rejects. */
  readonly also: () => Promise<void>
}

export interface Attendance {
  /**
   * Resolves once the worker has attended for the first time, or has failed to. A worker that cannot attend still
   * delivers, but if it dies, its lanes are taken over only after its leases expire.
   */
  readonly begun: Promise<void>
  /** Attends soon: another worker may have started or died. */
  hurry(): void
  /** Stops attending and tells the store that the worker has stopped. Never rejects. */
  end(): Promise<void>
}

/**
 * Tells the store repeatedly that this worker is alive, until `end` is called. Each time, the store also takes over the
 * lanes of dead workers.
 */
export function attend(options: AttendanceOptions): Attendance {
  const { store, worker, isVisiting, now, onClock, onTakeover, onLimits, onError, also } = options
  const ending = new AbortController()
  const waker = createWaker()
  let failures = 0
  let told: string | undefined
  let again = { resting: ATTEND_MS, working: ATTEND_MS }
  let isHurried = false

  const once = async (as: WorkerAttendance): Promise<void> => {
    isHurried = false
    try {
      const before = now()
      const { takenOver, limits, clock, againInMs } = await store.attend(as)
      told = JSON.stringify(as.details)
      again = againInMs
      onClock(clock, before, now())
      failures = 0
      onLimits(limits)
      if (takenOver.length > 0) onTakeover(takenOver)
    } catch (error) {
      const pauseMs = Math.min(backOffMs(++failures), CHANGED_MS)
      again = { resting: pauseMs, working: pauseMs }
      onError(error)
    }
  }
  const goOn = async (): Promise<void> => {
    await begun
    let sinceMs = 0
    let wasVisiting = false
    while (!ending.signal.aborted) {
      const pauseMs = Math.min(again.resting, again.working, ATTEND_MS)
      await waker.sleep(pauseMs, ending.signal)
      sinceMs += pauseMs
      const as = worker()
      const isChanged = told !== JSON.stringify(as.details)
      const isWorking = wasVisiting && isVisiting()
      wasVisiting = isVisiting()
      const againInMs = isWorking ? again.working : again.resting
      const dueInMs = isChanged ? Math.min(againInMs, CHANGED_MS) : againInMs
      if ((isHurried || sinceMs >= dueInMs) && !ending.signal.aborted) {
        sinceMs = 0
        await once(as)
      }
      await also()
    }
  }

  const begun = once(worker())
  const ended = goOn()
  return {
    begun,
    hurry() {
      isHurried = true
      waker.wake()
    },
    async end() {
      ending.abort()
      await ended
      // If the last call failed, the store is probably out of reach, and stopping must not wait for it. Another worker
      // will find this one dead.
      if (failures === 0) await store.releaseLeases({ of: 'worker', worker: worker().id }).catch(onError)
    },
  }
}
