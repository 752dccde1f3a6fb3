import { startReadFirstTimer } from './read-first-timer.ts'

/** What ends an attempt before it ends by itself. */
export interface AttemptEnd {
  /** Why it has to end, once it has to. */
  reason(): 'timeout' | 'aborted' | undefined
  /** Calls `listener` when it has to end; only the last one given is called. */
  onEnd(listener: () => void): void
  abort(): void
  /** The attempt is over: nothing is called any more. */
  over(): void
}

/** Starts an attempt's deadline. An `AbortController` of its own would cost it a tenth more (measured). */
export function startAttemptEnd(deadlineMs: number, signal: AbortSignal | undefined): AttemptEnd {
  let reason: 'timeout' | 'aborted' | undefined
  let listener: (() => void) | undefined
  const end = (why: 'timeout' | 'aborted'): void => {
    if (reason !== undefined) return
    reason = why
    listener?.()
  }
  const abort = (): void => end('aborted')
  const deadline = startReadFirstTimer(deadlineMs, () => end('timeout'))
  signal?.addEventListener('abort', abort, { once: true })
  return {
    reason: () => reason,
    onEnd(next) {
      listener = next
    },
    abort,
    over() {
      listener = undefined
      deadline.cancel()
      signal?.removeEventListener('abort', abort)
    },
  }
}
