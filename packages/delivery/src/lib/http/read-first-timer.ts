/** A timer that has been started. */
export interface ReadFirstTimer {
  cancel(): void
}

/**
 * If the timer fires at least this many milliseconds late, the event loop has stalled. `end` is then called this much
 * later, because Deno on a busy machine needs milliseconds to read bytes that have arrived.
 */
const STALL_MS = 50

/**
 * Calls `end` after `ms` milliseconds, once everything that had arrived by then has been read. After a stall of the
 * event loop (a long computation, a stopped process), overdue timers run before reads, so a plain timer would miss a
 * response that arrived during the stall.
 *
 * @param mayRead whether data that has arrived can still matter. If not, `end` is called as soon as the timer fires.
 */
export function startReadFirstTimer(ms: number, end: () => void, mayRead: () => boolean = () => true): ReadFirstTimer {
  const due = performance.now() + ms
  let turn: ReturnType<typeof setImmediate> | undefined
  const endNext = (): void => {
    turn = setImmediate(end)
  }
  let timer = setTimeout(() => {
    if (!mayRead()) end()
    else if (performance.now() < due + STALL_MS) endNext()
    else timer = setTimeout(endNext, STALL_MS)
  }, ms)
  return {
    cancel() {
      clearTimeout(timer)
      clearImmediate(turn)
    },
  }
}
