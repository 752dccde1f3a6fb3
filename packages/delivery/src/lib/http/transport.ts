import type { AttemptReason } from '@callboard/core/engine'

/** One POST, ready to be sent: the bytes in `body` are the bytes that were signed. */
export interface TransportRequest {
  /** The subscription's `targetUrl`, as stored. */
  readonly url: string
  /** All headers except `host`, `content-length` and `connection`, which the transport sets. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /**
   * Returns the milliseconds until the lease ends, when another worker may send the same delivery. Undefined for a
   * request without a lease, such as a test event. A transport must call this right before each write, because the
   * process may stall at any time. Once the lease has ended, the transport must write nothing more, and a request that
   * was not fully sent ends as `aborted`.
   */
  readonly leaseLeftMs?: (() => number) | undefined
}

/**
 * Why there was no response. The attempts log stores these codes, except `aborted`; `AttemptReason` explains each one.
 */
export type TransportFailureReason = Exclude<AttemptReason, 'unprepared' | 'crashed'>

/** The target's status line and headers arrived complete, whatever happened to the body. */
export interface TransportResponse {
  readonly kind: 'response'
  /** 200–599. */
  readonly status: number
  /** The `retry-after` header as sent, unparsed. */
  readonly retryAfter?: string | undefined
  /**
   * The `date` header, unparsed. It shows the time of the target's clock; a date in `retryAfter` is relative to that
   * clock.
   */
  readonly date?: string | undefined
  /**
   * The start of the body as text that any store accepts: valid UTF-8 of at most 16 KiB, without NUL. For a compressed
   * body, only the coding: `compressed (gzip)`.
   */
  readonly body: string
  /** True if the body was longer than 16 KiB, broke off, or had not ended by the deadline. */
  readonly truncated: boolean
  /** Whole milliseconds since `send` was called. */
  readonly durationMs: number
}

/**
 * Why a request was not sent, if that need not be the target's fault. A worker does not count such an attempt; for
 * `silence`, only while no host answers.
 * - `resources`: this process has no memory, file descriptors or local ports left.
 * - `resolver`: this machine's name servers cannot be reached.
 * - `proxy`: the egress proxy cannot be reached.
 * - `silence`: the lookup or the connection got no answer at all, not even a refusal.
 */
export type TransportFailureCause = 'resources' | 'resolver' | 'proxy' | 'silence'

export interface TransportFailure {
  readonly kind: 'failed'
  readonly reason: TransportFailureReason
  /** Undefined if the target is at fault, or if something was sent. */
  readonly cause?: TransportFailureCause | undefined
  /** Whole milliseconds since `send` was called. */
  readonly durationMs: number
}

/** Why no connection was made. */
export type NoConnection = Pick<TransportFailure, 'reason' | 'cause'>

export type TransportOutcome = TransportResponse | TransportFailure

/** Sends requests. A platform can provide its own transport, which must then enforce the address policy itself. */
export interface Transport {
  /**
   * Makes one attempt. Resolves within the transport's deadline, whatever the target does. Rejects only for a request
   * that can never be sent, such as one with a line break in a header. Redirects are returned as responses, never
   * followed. If `signal` aborts after the response's headers are complete, the outcome is that response.
   */
  send(request: TransportRequest, signal?: AbortSignal): Promise<TransportOutcome>
  /**
   * Looks up the addresses of a host (name and port). Hosts that the worker has not tried yet share a limit if they
   * have an address in common; otherwise an account could use many names to flood one machine. Without this method, no
   * limit is shared.
   */
  readonly addressesOf?: ((host: string) => Promise<readonly string[]>) | undefined
  /** Ends requests in flight as `aborted` and closes every connection. A later `send` returns `aborted` at once. */
  close(): void | Promise<void>
}
