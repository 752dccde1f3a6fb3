const EXPECTING_MS = 250
const EXPECTING_POLL_MS = 10

export interface Waker {
  /** Ends the current sleep. If there is none, the next sleep returns at once. */
  wake(): void
  /**
   * Makes sleeps short for a moment after a publish. If the event was published in this process, it becomes visible
   * only when its transaction commits. If it was published in another process, more events may follow without a
   * notification.
   */
  expectWork(): void
  /** Resolves after `milliseconds`, on a wake-up, or when the signal aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>
}

/** Creates the pause between looks for work. Being woken is only a hint; correctness depends on polling. */
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
