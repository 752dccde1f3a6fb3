/** Timers hold no more (24.8 days); asked to wait longer, they do not wait at all. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1

/** Waits, or rejects with the reason of the signal as soon as that is aborted. */
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
