const EXPECTING_MS = 250
const EXPECTING_POLL_MS = 10

export interface Waker {
  /** Ends the current sleep. If nothing is sleeping, the next sleep returns at once. */
  wake(): void
  /**
   * Call this when an event was published. It ends the current sleep and shortens the sleeps that begin in the next
   * `EXPECTING_MS`. The event may become visible only later, when its transaction commits, and more events may follow
   * without a notification.
   */
  expectWork(): void
  /** Resolves after `milliseconds`, on a wake-up, or when the signal aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>
}

/**
 * Creates a waker, which pauses between two looks for work. A wake-up is only a hint and may be missing, so callers
 * also poll.
 */
export function createWaker(): Waker {
  let woken = false
  let end: (() => void) | undefined
  let expectingUntil = 0

  const wake = (): void => {
    woken = true
    end?.()
  }

  return {
    wake,
    expectWork() {
      expectingUntil = performance.now() + EXPECTING_MS
      wake()
    },
    async sleep(milliseconds, signal) {
      if (!woken && !signal.aborted) {
        const expecting = performance.now() < expectingUntil
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, expecting ? Math.min(EXPECTING_POLL_MS, milliseconds) : milliseconds)
          end = () => {
            clearTimeout(timer)
            resolve()
          }
          signal.addEventListener('abort', end, { once: true })
        })
        if (end !== undefined) signal.removeEventListener('abort', end)
        end = undefined
      }
      woken = false
    },
  }
}
