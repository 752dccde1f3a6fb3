/** A timer that has been started. */
export interface ReadFirstTimer {
  cancel(): void
}

/**
 * A timer this late, in milliseconds, shows that the event loop has stalled; reading then gets the same time again.
 * Node has read everything after one turn of its loop; Deno on a busy machine needs milliseconds.
 */
const STALL_MS = 50

/**
 * Calls `end` after `ms` milliseconds, once everything that had arrived by then has been read. After the event loop has
 * stalled (a long computation, a stopped process), overdue timers run before reads. A plain timer would then treat as
 * late a response that arrived in time and waits in the socket's buffer.
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
