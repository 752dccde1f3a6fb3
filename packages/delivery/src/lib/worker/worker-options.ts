import { CallboardError } from '@callboard/core'
import { DEFAULT_RETRY_SCHEDULE, longestSchedule } from '@callboard/core/engine'
import type { EgressProxy } from '../http/egress-proxy.ts'
import { MAX_DEADLINE_MS } from '../http/https-transport.ts'
import type { Transport } from '../transport.ts'
import { assertWhole } from '../whole-number.ts'

export interface WorkerOptions {
  /** Stops the worker gracefully when it aborts, as a first call of `stop` does. */
  readonly signal?: AbortSignal | undefined
  /** One attempt in all, in milliseconds; 15 s by default, 30 s at most. */
  readonly deadlineMs?: number | undefined
  /** How long a lane is held without a word; by default twice the deadline, and always at least the deadline and 5 s. */
  readonly leaseMs?: number | undefined
  /** Subscriptions served at once, those with healthy targets; 64 by default. Four times as many may wait (see `patienceMs`). */
  readonly lanes?: number | undefined
  /** The same for slow and failing targets, in slots of their own; 16 by default. */
  readonly slowLanes?: number | undefined
  /** Deliveries in flight of one subscription; 10 by default. */
  readonly perSubscription?: number | undefined
  /** A subscription that keeps its slot longer, in milliseconds, leaves it to others while it waits for its target; 250 by default. */
  readonly patienceMs?: number | undefined
  /** A try that took longer, in milliseconds, makes its target a slow one; 2 s by default. */
  readonly slowAfterMs?: number | undefined
  /** How often to look for work when there was none, in milliseconds; 100 by default. */
  readonly pollMs?: number | undefined
  /** Waits after each failed try, in milliseconds; about 76 hours in nine steps by default. */
  readonly retrySchedule?: readonly number[] | undefined
  /** How long what is in flight may take to end after a stop, in milliseconds; 10 s by default, 0 aborts at once. */
  readonly graceMs?: number | undefined
  /** PEM certificates of authorities trusted beside the runtime's own; none by default. */
  readonly extraCaCertificates?: readonly string[] | undefined
  /** A proxy that every delivery leaves through, such as smokescreen; none by default, whatever the environment says. */
  readonly egressProxy?: EgressProxy | undefined
  /** Sends the requests; pinned HTTP/1.1 on `node:tls` by default. A transport of the platform's own brings its own guard. */
  readonly transport?: Transport | undefined
  /**
   * That no other worker runs on this store, as with PGlite: leases found at the start are those of a dead process, and
   * are given back at once instead of running out. False by default; true beside another worker repeats what that one sends.
   */
  readonly soleWorker?: boolean | undefined
  /**
   * How often to remove what has been kept long enough (`retention` of `createCallboard`), in milliseconds; an hour by default. Of all
   * workers one does it each time. 0: none of this worker's business.
   */
  readonly retentionMs?: number | undefined
  /** Monotonic milliseconds, for ages and durations; `performance.now` by default. Schedules go by the store's clock. */
  readonly elapsed?: (() => number) | undefined
  /** Name in the lanes it holds, for people who look; a random one by default. */
  readonly name?: string | undefined
}

export interface WorkerSettings {
  readonly deadlineMs: number
  readonly leaseMs: number
  readonly lanes: number
  readonly slowLanes: number
  readonly perSubscription: number
  readonly patienceMs: number
  readonly slowAfterMs: number
  readonly pollMs: number
  readonly retrySchedule: readonly number[]
  readonly graceMs: number
  readonly retentionMs: number
}

/** Between the deadline and the end of a lease: for recording, and for asking anew how a lane stands. */
const LEASE_MARGIN_MS = 5_000
/** Timers take no more than 2^31 - 1 ms, and a longer one fires at once. */
const LONGEST_MS = 3_600_000
/** Tries are a `smallint` in Postgres, and nobody waits for a hundred. */
const MAX_RETRIES = 100

/** Fills in what was not given. Throws `CONFIGURATION_INVALID` for what cannot work. */
export function readWorkerOptions(options: WorkerOptions, eventsKeptMs: number): WorkerSettings {
  const { deadlineMs = 15_000, retrySchedule = DEFAULT_RETRY_SCHEDULE } = options
  if (options.transport !== undefined && options.egressProxy !== undefined)
    refuse('egressProxy is an option of the default transport: give it to your own, or leave one of the two out.')
  const { leaseMs = Math.max(2 * deadlineMs, deadlineMs + LEASE_MARGIN_MS) } = options
  assertWhole({ deadlineMs }, 1, MAX_DEADLINE_MS)
  assertWhole({ leaseMs }, 1, LONGEST_MS)
  if (leaseMs < deadlineMs + LEASE_MARGIN_MS)
    refuse(`leaseMs must be at least deadlineMs and ${LEASE_MARGIN_MS} more, or a delivery could go to two workers.`)
  if (retrySchedule.length > MAX_RETRIES || retrySchedule.some((wait) => !(wait >= 0 && Number.isFinite(wait))))
    refuse(`retrySchedule must be at most ${MAX_RETRIES} waits of 0 or more milliseconds.`)
  if (longestSchedule(retrySchedule) >= eventsKeptMs)
    refuse('retention.eventsMs must be longer than retrySchedule takes, or events would go while they are still tried.')
  const { lanes = 64, slowLanes = 16, perSubscription = 10 } = options
  assertWhole({ lanes, slowLanes, perSubscription }, 1, 10_000)
  const { pollMs = 100, graceMs = 10_000, patienceMs = 250, slowAfterMs = 2_000, retentionMs = LONGEST_MS } = options
  assertWhole({ pollMs }, 1, LONGEST_MS)
  assertWhole({ graceMs, patienceMs, slowAfterMs, retentionMs }, 0, LONGEST_MS)
  return {
    deadlineMs,
    leaseMs,
    lanes,
    slowLanes,
    perSubscription,
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
