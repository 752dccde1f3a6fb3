/** The longest delay that a timer supports (24.8 days). With a longer delay, a timer fires at once. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1

/** Waits for `ms`. If the signal is aborted, rejects at once with the signal's reason. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', abort)
        resolve()
      },
      Math.min(ms, LONGEST_TIMER_MS),
    )
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}
