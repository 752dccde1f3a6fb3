import { startReadFirstTimer } from './read-first-timer.ts'

/** Ends an attempt early, when its deadline passes, its lease ends or its signal aborts. */
export interface AttemptEnd {
  /**
   * The reason why the attempt must end; undefined while it can continue. Call this right before each write. It reads
   * the clock itself, because after a stall of the process, other callbacks may run before the deadline's overdue
   * timer.
   */
  reason(): 'timeout' | 'aborted' | undefined
  /**
   * Calls `listener` when the attempt must end. Replaces any previous listener. If the attempt must already end,
   * `listener` may not be called, so check `reason` first.
   *
   * @param isSent whether all of the request has been written. If so, a response that arrived in time is still read
   *   when the deadline passes. Otherwise the deadline ends the attempt at once, so that nothing more is written.
   */
  onEnd(listener: () => void, isSent?: () => boolean): void
  abort(): void
  /** Must be called when the attempt is over. From then on, the listener is not called. */
  over(): void
}

export interface AttemptEndOptions {
  readonly deadlineMs: number
  /** See `TransportRequest`. */
  readonly leaseLeftMs?: (() => number) | undefined
  readonly signal?: AbortSignal | undefined
  /**
   * A monotonic clock in milliseconds that keeps running while the process is stopped, as `performance.now` does. It
   * may stand still while the machine is suspended or its virtual machine paused. A request can then be written after
   * its lease has ended, but the store still refuses its result.
   */
  readonly now: () => number
}

/**
 * Starts the deadline of an attempt, or ends the attempt with its lease if the lease is shorter. An `AbortController`
 * is not used, because it would make each attempt 10% slower (measured).
 */
export function startAttemptEnd(options: AttemptEndOptions): AttemptEnd {
  const { deadlineMs, leaseLeftMs = () => Number.POSITIVE_INFINITY, signal, now } = options
  const startedAt = now()
  const leaseMs = leaseLeftMs()
  let reason: 'timeout' | 'aborted' | undefined
  let listener: (() => void) | undefined
  let isSent = (): boolean => false
  const reasonNow = (): typeof reason => {
    if (leaseLeftMs() <= 0) return 'aborted'
    return now() - startedAt >= deadlineMs ? 'timeout' : undefined
  }
  const end = (why: 'timeout' | 'aborted'): void => {
    if (reason !== undefined) return
    reason = why
    listener?.()
  }
  /**
   * If the lease ended before the request was fully sent, the reason is `aborted` and not `timeout`, because the target
   * is not to blame.
   */
  const endNow = (): void => end(isSent() ? 'timeout' : (reasonNow() ?? (leaseMs < deadlineMs ? 'aborted' : 'timeout')))
  const abort = (): void => end('aborted')
  const deadline = startReadFirstTimer(Math.min(deadlineMs, leaseMs), endNow, () => isSent())
  const listeners = signal && listenersOf(signal)
  listeners?.add(abort)
  return {
    reason: () => reason ?? reasonNow(),
    onEnd(next, sent = () => false) {
      listener = next
      isSent = sent
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
