import { startReadFirstTimer } from './read-first-timer.ts'

/** Ends an attempt early, when its deadline passes or its signal aborts. */
export interface AttemptEnd {
  /** Why the attempt must end; undefined while it can continue. */
  reason(): 'timeout' | 'aborted' | undefined
  /**
   * Calls `listener` when the attempt must end. Replaces any previous listener. If the attempt must already end,
   * `listener` is not called, so check `reason` first.
   */
  onEnd(listener: () => void): void
  abort(): void
  /** Must be called when the attempt is over. From then on, the listener is not called. */
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
 * Returns the functions to call when a signal aborts, one for each attempt in flight. All attempts of a worker share
 * one signal. It gets only one listener, because an `EventTarget` scans all its listeners whenever one is added or
 * removed.
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
