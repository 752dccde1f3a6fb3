const EXPECTING_MS = 250
const EXPECTING_POLL_MS = 10

export interface Waker {
  /** Ends a sleep, now or the next one at once. */
  wake(): void
  /**
   * An event was published. In this process, it shows once its transaction commits, which nobody here sees; in another, more may
   * follow untold: look often for a moment.
   */
  expectWork(): void
  /** Resolves after so many milliseconds, when woken, or when the signal aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>
}

/** The pause between looks for work: polling is the truth, being woken a hint. */
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
