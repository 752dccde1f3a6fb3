import { createId } from '@callboard/core'
import {
  type AttemptRecord,
  type DueLane,
  FAILING_RULE,
  type HandOverRequest,
  type LaneSettlement,
  type LeasedLane,
  type ResultOf,
  type RetryRecord,
  type SettleResult,
  type Store,
} from '@callboard/core/store'

export const LEASE_MS = 60_000

/** The newest hundred attempts of a subscription. */
export const ALL_ATTEMPTS = { eventId: undefined, before: undefined, limit: 100 }

let made = 0
/** The last number given to a call. It starts above the numbers that tests choose. */
let calls = 1_000

export interface LeaseDueOptions {
  readonly worker?: string | undefined
  /** The number of the call; by default, a number that no other call has. */
  readonly call?: number | undefined
  /** The most lanes to lease; 10 by default. */
  readonly lanes?: number | undefined
  /** The most deliveries to lease per lane; 10 by default. */
  readonly perLane?: number | undefined
  readonly leaseMs?: number | undefined
  /** Selects the due lanes to lease; all by default. */
  readonly only?: ((lane: DueLane) => boolean) | undefined
}

/** Leases due lanes, starting with the lane that has been due longest. */
export async function leaseDue(store: Store<unknown>, options: LeaseDueOptions = {}): Promise<LeasedLane[]> {
  const { worker = 'w1', call = ++calls, lanes = 10, perLane = 10, leaseMs = LEASE_MS, only = () => true } = options
  const due = await store.deliveries.due({ limit: 1_000, after: undefined })
  const wanted = due.lanes.filter(only).slice(0, lanes)
  return store.deliveries.lease({ worker, call, lanes: wanted.map((lane) => ({ ...lane, room: perLane })), leaseMs })
}

export interface SequenceAndLeaseOptions extends Partial<HandOverRequest> {
  /** The most events to sequence; 10 by default. */
  readonly limit?: number
}

/** Sequences events, and lets the call lease lanes: at most 10, unless `lanes` says otherwise. */
export function sequenceAndLease(
  { deliveries }: Pick<Store<unknown>, 'deliveries'>,
  { limit = 10, ...request }: SequenceAndLeaseOptions = {},
): Promise<ResultOf<'deliveries', 'sequence'>> {
  const lease = { worker: 'w1', call: ++calls, lanes: 10, leaseMs: LEASE_MS, leaveOut: [], leaveOutHosts: [] }
  return deliveries.sequence(limit, { ...lease, ...request })
}

/** Leases lanes, and expects exactly one. */
export async function leaseLane(store: Store<unknown>, options?: LeaseDueOptions): Promise<LeasedLane> {
  const [lane, ...others] = await leaseDue(store, options)
  if (lane === undefined || others.length > 0)
    throw new Error(`one lane expected, leased ${lane === undefined ? 0 : others.length + 1}`)
  return lane
}

/** The settlement of a worker that has delivered its whole lease and releases the lane. */
export function settlementOf(lane: LeasedLane, overrides: Partial<LaneSettlement> = {}): LaneSettlement {
  return {
    lease: lane.lease,
    settledThrough: lane.through,
    attempts: [],
    retries: [],
    ended: [],
    subjects: lane.deliveries.flatMap(({ subject }) => subject ?? []),
    breakerFailures: 0,
    succeeded: true,
    failedAttempts: 0,
    slow: false,
    pauseMs: 0,
    disable: undefined,
    keep: false,
    ...overrides,
  }
}

export function settleLane(
  store: Store<unknown>,
  lane: LeasedLane,
  overrides?: Partial<LaneSettlement>,
): Promise<SettleResult> {
  return store.deliveries.settle([settlementOf(lane, overrides)], FAILING_RULE)
}

/** Leases the one lane that has work, and settles it. */
export async function leaseAndSettle(store: Store<unknown>, overrides?: Partial<LaneSettlement>): Promise<LeasedLane> {
  const lane = await leaseLane(store)
  await settleLane(store, lane, overrides)
  return lane
}

/** A failed attempt. Each attempt has a higher id than the one before. */
export function attemptOf(eventId: string, overrides: Partial<AttemptRecord> = {}): AttemptRecord {
  return {
    id: createId('att', { now: Date.now() + ++made }),
    eventId,
    number: 1,
    outcome: 'failed',
    status: 500,
    reason: undefined,
    durationMs: 250,
    response: 'oh no',
    ...overrides,
  }
}

export function retryOf(eventId: string, overrides: Partial<RetryRecord> = {}): RetryRecord {
  return { eventId, attempts: 1, delayMs: 60_000, suspect: false, redacted: false, ...overrides }
}

export function eventIds({ deliveries }: LeasedLane): string[] {
  return deliveries.map(({ eventId }) => eventId)
}
