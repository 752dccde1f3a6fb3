import { startReadFirstTimer } from './read-first-timer.ts'

/** The early end of an attempt: its deadline, or an abort. */
export interface AttemptEnd {
  /** Why the attempt must end; undefined while it may go on. */
  reason(): 'timeout' | 'aborted' | undefined
  /**
   * Calls `listener` when the attempt must end, in place of any previous listener. It is not called for an end that has
   * already come, so check `reason` first.
   */
  onEnd(listener: () => void): void
  abort(): void
  /** Must be called when the attempt is over; no listener is called after that. */
  over(): void
}

/** Starts the deadline of an attempt. An `AbortController` would make each attempt 10% slower (measured). */
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
  const listeners = signal && listenersOf(signal)
  listeners?.add(abort)
  return {
    reason: () => reason,
    onEnd(next) {
      listener = next
    },
    abort,
    over() {
      listener = undefined
      deadline.cancel()
      listeners?.delete(abort)
    },
  }
}

const listening = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * The attempts that a signal aborts, all behind a single listener. A worker has one signal for everything in flight,
 * and an `EventTarget` scans all its listeners whenever one is added or removed.
 */
function listenersOf(signal: AbortSignal): Set<() => void> {
  const known = listening.get(signal)
  if (known !== undefined) return known
  const listeners = new Set<() => void>()
  const abortAll = (): void => {
    for (const abort of listeners) abort()
  }
  signal.addEventListener('abort', abortAll, { once: true })
  listening.set(signal, listeners)
  return listeners
}
