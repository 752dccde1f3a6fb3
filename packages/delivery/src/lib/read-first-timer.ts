/** A timer that has been started. */
export interface ReadFirstTimer {
  cancel(): void
}

/**
 * By how much a timer that is late shows that the event loop has stalled, and how long reading may then take: Node has read after one turn
 * of its loop; Deno, on a machine that is busy, needs milliseconds.
 */
const STALL_MS = 50

/**
 * Calls `end` after so many milliseconds, once what had arrived by then has been read. After the event loop has stalled
 * (a long computation, a stopped process) overdue timers run before reads: an answer that came in time and waits in the
 * socket's buffer would count as a time-out.
 */
export function startReadFirstTimer(ms: number, end: () => void): ReadFirstTimer {
  const due = performance.now() + ms
  let turn: ReturnType<typeof setImmediate> | undefined
  const endNext = (): void => {
    turn = setImmediate(end)
  }
  let timer = setTimeout(() => {
    if (performance.now() < due + STALL_MS) endNext()
    else timer = setTimeout(endNext, STALL_MS)
  }, ms)
  return {
    cancel() {
      clearTimeout(timer)
      clearImmediate(turn)
    },
  }
}
