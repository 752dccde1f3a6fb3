/**
 * On average, a publishing process notifies workers at most once in this many milliseconds, because transactions that
 * call `NOTIFY` wait for each other to commit. Throughput fell by a third when every publishing transaction called it.
 */
const ANNOUNCE_EVERY_MS = 4
/**
 * After this many milliseconds without a notice, a process may send up to eight notices in a row. So below 250
 * events/s, nearly every event is announced. With a fixed interval between notices, one event in ten was not announced
 * at 50 events/s; workers found it by polling, usually 5 ms later.
 */
const CATCH_UP_MS = 28

/**
 * Returns a function that must be called once per publish. It returns the channel to notify, or null if it is too soon
 * for another notice.
 */
export function createAnnouncer(channel: string): () => string | null {
  let dueAt = Number.NEGATIVE_INFINITY
  return () => {
    const now = performance.now()
    if (now < dueAt) return null
    dueAt = Math.max(dueAt, now - CATCH_UP_MS) + ANNOUNCE_EVERY_MS
    return channel
  }
}

/** A process leaves out a notice only shortly after it has sent this many. */
const BURST = CATCH_UP_MS / ANNOUNCE_EVERY_MS + 1
/** Notices of one burst arrive within this many milliseconds, even if some are delayed. */
const BURST_MS = 2 * (CATCH_UP_MS + ANNOUNCE_EVERY_MS)
const FIRST_PAUSE_MS = 10
const LONGEST_PAUSE_MS = 640

export interface NoticeWatch {
  /** Call this for each notice. */
  noticed(): void
  stop(): void
}

/**
 * Makes up for notices that publishers leave out. After a burst, calls `onWork` again and again, with pauses that grow
 * from 10 ms to 640: an event without a notice usually commits just after the others.
 */
export function watchNotices(onWork: () => void): NoticeWatch {
  const times: number[] = []
  let timer: NodeJS.Timeout | undefined

  const goOn = (pauseMs: number): void => {
    clearTimeout(timer)
    if (pauseMs > LONGEST_PAUSE_MS) return
    timer = setTimeout(() => {
      onWork()
      goOn(2 * pauseMs)
    }, pauseMs)
    timer.unref()
  }

  return {
    noticed() {
      times.push(performance.now())
      if (times.length > BURST) times.shift()
      const [first = 0] = times
      if (times.length === BURST && performance.now() - first <= BURST_MS) goOn(FIRST_PAUSE_MS)
    },
    stop: () => clearTimeout(timer),
  }
}
