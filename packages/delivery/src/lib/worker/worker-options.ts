import { CallboardError } from '@callboard/core'
import { assertWhole } from '@callboard/core/engine'
import type { EgressProxy } from '../http/egress-proxy.ts'
import { MAX_DEADLINE_MS } from '../http/https-transport.ts'
import type { Transport } from '../http/transport.ts'
import { DEFAULT_RETRY_SCHEDULE, longestSchedule } from '../lanes/retry-policy.ts'

export interface WorkerOptions {
  /** Stops the worker gracefully when this signal aborts, like the first call of `stop`. */
  readonly signal?: AbortSignal | undefined
  /** Time limit of one attempt, in milliseconds; 15 s by default, at most 30 s. */
  readonly deadlineMs?: number | undefined
  /**
   * How long a worker may hold a lane (the deliveries of one subscription) without recording results, in milliseconds.
   * At least the deadline plus 5 s. By default, twice the deadline or the deadline plus 5 s, whichever is longer.
   */
  readonly leaseMs?: number | undefined
  /** The maximum number of subscriptions with quick targets that are served at once; 64 by default. */
  readonly lanes?: number | undefined
  /**
   * The maximum number of other subscriptions that are served at once; 256 by default. Their targets are new, slow or
   * failing, or have kept a request waiting for longer than `patienceMs`. Each takes one slot. An account gets another
   * slot only while more slots are free than it holds, so one account alone gets at most half of them.
   */
  readonly slowLanes?: number | undefined
  /** The maximum number of deliveries in flight for one subscription; 10 by default. */
  readonly perSubscription?: number | undefined
  /**
   * The maximum number of requests in flight to one host (name and port); 500 by default. A worker begins with 4 and
   * learns from the host's answers how many it can take, up to this number.
   */
  readonly perHost?: number | undefined
  /** A target is quick, as in `lanes`, if it answers within this time, in milliseconds; 250 by default. */
  readonly patienceMs?: number | undefined
  /** A target is slow, as in `slowLanes`, after an attempt longer than this, in milliseconds; 2 s by default. */
  readonly slowAfterMs?: number | undefined
  /**
   * The time until a worker that cannot listen for notices looks for work again after it has found none, in
   * milliseconds; 100 by default. A worker that listens looks once a second, and this often while work waits.
   */
  readonly pollMs?: number | undefined
  /** The delay after each failed attempt, in milliseconds; by default nine delays, about 76 hours in total. */
  readonly retrySchedule?: readonly number[] | undefined
  /**
   * How long deliveries in flight may take to finish after a stop, in milliseconds; 10 s by default, 0 to abort them at
   * once.
   */
  readonly graceMs?: number | undefined
  /** PEM certificates to trust besides the runtime's own roots; none by default. */
  readonly extraCaCertificates?: readonly string[] | undefined
  /** A proxy for all deliveries, such as smokescreen; none by default. Proxy environment variables are ignored. */
  readonly egressProxy?: EgressProxy | undefined
  /**
   * Sends the requests; `createHttpsTransport` by default. Your own transport must enforce the address policy itself.
   */
  readonly transport?: Transport | undefined
  /**
   * Set this if no other worker uses this store, as with PGlite; false by default. Leases found at the start then
   * belong to a dead process and are released at once. If another worker does run, its deliveries are sent twice.
   */
  readonly soleWorker?: boolean | undefined
  /**
   * Whether the worker, when it starts, calls `versions.moveMissing` for subscriptions and keys whose format version
   * has ended or left the catalogue. This pins them to the version that they get anyway. False by default: the worker
   * then only logs them.
   */
  readonly moveMissingVersions?: boolean | undefined
  /**
   * The time between two removals of rows that are past their `retention` (an option of `createCallboard`), in
   * milliseconds; an hour by default. Each time, only one of the store's workers removes rows. With 0, this worker
   * never removes any.
   */
  readonly retentionMs?: number | undefined
  /**
   * A monotonic clock in milliseconds, for durations; `performance.now` by default. Schedules use the store's clock.
   */
  readonly elapsed?: (() => number) | undefined
  /**
   * Returns a number from 0 to just under 1, by which the delays of retries and the pauses of failing subscriptions
   * vary; `Math.random` by default. With `() => 0.5`, a test gets exactly the delays of `retrySchedule`.
   */
  readonly random?: (() => number) | undefined
  /** The name that logs and `callboard doctor` show for this worker; random by default. */
  readonly name?: string | undefined
}

export interface WorkerSettings {
  readonly deadlineMs: number
  readonly leaseMs: number
  readonly lanes: number
  readonly slowLanes: number
  readonly perSubscription: number
  readonly perHost: number
  readonly patienceMs: number
  readonly slowAfterMs: number
  readonly pollMs: number
  readonly retrySchedule: readonly number[]
  readonly graceMs: number
  readonly retentionMs: number
}

/**
 * A lease must last at least this much longer than the deadline of an attempt, in milliseconds. The worker needs this
 * time to check whether it may still send, and to settle.
 */
const LEASE_MARGIN_MS = 5_000
/**
 * The maximum for most options that are durations, in milliseconds. A timer with a delay above 2^31 - 1 ms would fire
 * at once.
 */
export const LONGEST_MS = 3_600_000
/**
 * The maximum number of delays in a retry schedule. Nobody needs more, and Postgres stores the number of attempts as a
 * `smallint`.
 */
const MAX_RETRIES = 100

/** Fills in the defaults. Throws `CONFIGURATION_INVALID` for invalid options. */
export function readWorkerOptions(options: WorkerOptions, eventsKeptMs: number): WorkerSettings {
  const { deadlineMs = 15_000, retrySchedule = DEFAULT_RETRY_SCHEDULE } = options
  if (options.transport !== undefined && options.egressProxy !== undefined)
    refuse('egressProxy cannot be combined with transport. Configure the proxy in your own transport instead.')
  const { leaseMs = Math.max(2 * deadlineMs, deadlineMs + LEASE_MARGIN_MS) } = options
  assertWhole({ deadlineMs }, 1, MAX_DEADLINE_MS)
  assertWhole({ leaseMs }, 1, LONGEST_MS)
  if (leaseMs < deadlineMs + LEASE_MARGIN_MS)
    refuse(`leaseMs must be at least deadlineMs plus ${LEASE_MARGIN_MS}, or two workers could send the same delivery.`)
  if (retrySchedule.length > MAX_RETRIES || retrySchedule.some((wait) => !(wait >= 0 && Number.isFinite(wait))))
    refuse(`retrySchedule must have at most ${MAX_RETRIES} delays, each of 0 or more milliseconds.`)
  if (longestSchedule(retrySchedule) >= eventsKeptMs)
    refuse('retention.eventsMs must be longer than retrySchedule, or events would be removed while being retried.')
  const { lanes = 64, slowLanes = 256, perSubscription = 10, perHost = 500 } = options
  assertWhole({ lanes, slowLanes, perSubscription, perHost }, 1, 10_000)
  const { pollMs = 100, graceMs = 10_000, patienceMs = 250, slowAfterMs = 2_000, retentionMs = LONGEST_MS } = options
  assertWhole({ pollMs }, 1, LONGEST_MS)
  assertWhole({ graceMs, patienceMs, slowAfterMs, retentionMs }, 0, LONGEST_MS)
  return {
    deadlineMs,
    leaseMs,
    lanes,
    slowLanes,
    perSubscription,
    perHost,
    patienceMs,
    slowAfterMs,
    pollMs,
    retrySchedule,
    graceMs,
    retentionMs,
  }
}

function refuse(message: string): never {
  throw new CallboardError('CONFIGURATION_INVALID', message)
}
