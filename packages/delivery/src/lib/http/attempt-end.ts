import { startReadFirstTimer } from './read-first-timer.ts'

/** Ends an attempt early, when its deadline passes, its lease ends or it is aborted. */
export interface AttemptEnd {
  /**
   * The reason why the attempt must end; undefined while it can continue. Call this right before each write. It reads
   * the clock itself, because after a stall of the process, other callbacks may run before the deadline's overdue
   * timer.
   */
  reason(): 'timeout' | 'aborted' | undefined
  /**
   * Calls `listener` when the attempt must end. Replaces any previous listener. Check `reason` first, because
   * `listener` might never be called if the attempt must already end.
   *
   * @param isSent whether all of the request has been written. If so, a response that arrived before the deadline is
   *   still read. If not, the deadline ends the attempt at once.
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
  /**
   * A monotonic clock in milliseconds that keeps running while the process is stopped, as `performance.now` does. It
   * may stand still while the machine is suspended: a request can then be written after its lease has ended, but the
   * store still refuses its result.
   */
  readonly now: () => number
}

/**
 * Starts the deadline of an attempt. If the attempt's lease ends earlier than the deadline, the attempt ends with the
 * lease. An `AbortController` is not used, because it would make each attempt 10% slower (measured).
 */
export function startAttemptEnd(options: AttemptEndOptions): AttemptEnd {
  const { deadlineMs, leaseLeftMs = () => Number.POSITIVE_INFINITY, now } = options
  const startedAt = now()
  const leaseMs = leaseLeftMs()
  let reason: 'timeout' | 'aborted' | undefined
  let listener: (() => void) | undefined
  let isSent = never
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
  const deadline = startReadFirstTimer(Math.min(deadlineMs, leaseMs), endNow, () => isSent())
  return {
    reason: () => reason ?? reasonNow(),
    onEnd(next, sent = never) {
      listener = next
      isSent = sent
    },
    abort: () => end('aborted'),
    over() {
      listener = undefined
      isSent = never
      deadline.cancel()
    },
  }
}

const never = (): boolean => false
