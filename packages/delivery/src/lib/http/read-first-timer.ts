/** A timer that has been started. */
export interface ReadFirstTimer {
  cancel(): void
}

/**
 * If the timer fires at least this many milliseconds late, the event loop has stalled. `end` is then called as many
 * milliseconds later, so that bytes that have arrived are read first. Reading them takes one turn of the event loop on
 * Node, but milliseconds on Deno on a busy machine.
 */
const STALL_MS = 50

/**
 * Calls `end` after `ms` milliseconds, once everything that had arrived by then has been read. After the event loop has
 * stalled (a long computation, a stopped process), overdue timers run before reads. A plain timer would then miss a
 * response that arrived in time but is still in the socket's buffer.
 *
 * @param mayRead says whether data that has arrived can still matter. If not, `end` is called as soon as the timer
 *   fires.
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
