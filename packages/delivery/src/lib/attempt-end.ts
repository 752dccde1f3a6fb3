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
 * Whom a signal ends. A worker has one for all that is in flight, and an `EventTarget` goes through all of its listeners for each one
 * that is added or removed: it has one for all of these.
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
