/** A timer that has been started. */
export interface ReadFirstTimer {
  cancel(): void
}

/**
 * Calls `end` after so many milliseconds, once what had arrived by then has been read. After the event loop has stalled
 * (a long computation, a stopped process) overdue timers run before reads: an answer that came in time and waits in the
 * socket's buffer would count as a time-out.
 */
export function startReadFirstTimer(ms: number, end: () => void): ReadFirstTimer {
  let turn: ReturnType<typeof setImmediate> | undefined
  const timer = setTimeout(() => {
    turn = setImmediate(end)
  }, ms)
  return {
    cancel() {
      clearTimeout(timer)
      clearImmediate(turn)
    },
  }
}
