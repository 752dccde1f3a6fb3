import { createId } from '@callboard/core'
import type { AttemptReason } from '@callboard/core/engine'
import type { AttemptRecord, LaneSettlement, LeasedDelivery, LeasedLane, RetryRecord } from '@callboard/core/store'
import type { AttemptResult } from './attempt.ts'
import { breakerFailuresAfter, breakerPause } from './breaker.ts'
import { POSTPONE_MS } from './postponed-lanes.ts'
import { responseOutcome } from './response-outcome.ts'
import { nextRetryDelay } from './retry-policy.ts'

export interface Result {
  readonly delivery: LeasedDelivery
  readonly result: AttemptResult
  /**
   * Whether the attempt was allowed to carry personal data. Once an attempt lacks it, all later attempts of the
   * delivery lack it as well.
   */
  readonly personalData: boolean
}

export interface SettlementRules {
  readonly schedule: readonly number[]
  /** If an attempt takes longer than this, in milliseconds, its lane counts as slow. */
  readonly slowAfterMs: number
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Returns a number from 0 to just under 1, which varies delays; `Math.random` by default. */
  readonly random?: (() => number) | undefined
}

/** A lane that this worker has leased. */
export interface HeldLane extends LeasedLane {
  /**
   * When the lane's lease was requested, in monotonic milliseconds. The lease ends no earlier than `leaseMs` after this
   * time.
   */
  readonly askedAt: number
  /** Whether the lane's last visit found its target slow or failing. */
  readonly slow: boolean
}

/**
 * Turns the results of a lane's attempts into the settlement that ends the lease, which the store records.
 *
 * @param all the results of the whole visit, also those that parts have settled
 */
export function settlementOf(
  lane: HeldLane,
  results: readonly Result[],
  rules: SettlementRules,
  all: readonly Result[] = results,
): LaneSettlement {
  const records = recordsOf(lane, results, rules)
  const settlement = { lease: lane.lease, ...records, ...healthOf(lane, all, rules), keep: false }
  // Of a postponed part of the backfill, what was sent is recorded, and left out when the part is leased again.
  if (all.some(isPostponedBackfill)) return { ...settlement, postponeMs: POSTPONE_MS }
  return lane.backfill === undefined ? settlement : { ...settlement, backfill: lane.backfill }
}

/**
 * Settles the answered deliveries of a visit whose other requests are open, and keeps the lease. The lane's
 * `settledThrough` moves past every answered delivery. An open delivery that it passes becomes a retry, which is due at
 * once if this worker dies. What the answers say about the target is left to the settlement that ends the lease,
 * because a visit counts as a whole.
 *
 * `rest` is the lane with what is left to settle.
 */
export function partOf(
  lane: HeldLane,
  results: readonly Result[],
  rules: SettlementRules,
): { readonly settlement: LaneSettlement; readonly rest: HeldLane } {
  const answered = new Set(results.flatMap(({ delivery, result }) => (isAnswered(result) ? delivery : [])))
  const through = Math.max(lane.settledThrough, ...[...answered].map(({ position = 0 }) => position))
  const isPassed = ({ position = 0 }: LeasedDelivery): boolean => position > lane.settledThrough && position <= through
  const isInPart = (delivery: LeasedDelivery): boolean => answered.has(delivery) || isPassed(delivery)
  const part = { ...lane, through, deliveries: lane.deliveries.filter(isInPart) }
  const recorded = results.flatMap((each) => {
    if (!isInPart(each.delivery)) return []
    return answered.has(each.delivery) ? each : { ...each, result: OPEN }
  })
  return {
    settlement: { ...unsentSettlement(lane), ...recordsOf(part, recorded, rules), keep: true },
    rest: { ...lane, settledThrough: through, deliveries: lane.deliveries.filter((each) => !answered.has(each)) },
  }
}

/** The result of an attempt whose request is open. It is settled like an aborted one. */
export const OPEN: AttemptResult = { kind: 'failed', reason: 'aborted', durationMs: 0 }

/** Whether the result is that of an attempt which counts: it was neither postponed nor aborted, and is not open. */
export function isAnswered(result: AttemptResult): boolean {
  return result.kind !== 'postponed' && !(result.kind === 'failed' && result.reason === 'aborted')
}

type Records = Pick<LaneSettlement, 'settledThrough' | 'attempts' | 'retries' | 'ended' | 'subjects' | 'postponeMs'>

/** What becomes of the deliveries. */
function recordsOf(lane: HeldLane, results: readonly Result[], { schedule, now, random }: SettlementRules): Records {
  const attempts: AttemptRecord[] = []
  const retries: RetryRecord[] = []
  const ended: string[] = []

  const keptFrom = keepsPlaceFrom(lane, results)
  for (const { delivery, result, personalData } of results) {
    const { eventId, position = 0 } = delivery
    const redacted = !personalData
    if (isPostponedBackfill({ delivery, result })) continue
    if (result.kind === 'postponed') {
      if (position < keptFrom) retries.push({ ...dueAgain(delivery), delayMs: POSTPONE_MS, redacted })
      continue
    }
    if (!isAnswered(result)) {
      retries.push({ ...dueAgain(delivery), redacted })
      continue
    }
    const number = delivery.attempts + 1
    const response = result.kind === 'response' ? result : undefined
    const record = (outcome: AttemptRecord['outcome']): void => {
      attempts.push({
        id: createId('att'),
        eventId,
        number,
        outcome,
        status: response?.status,
        reason: reasonOf(result),
        durationMs: result.durationMs,
        response: response?.body,
      })
      if (outcome !== 'failed') ended.push(eventId)
    }
    const outcome = outcomeOf(result)
    if (outcome !== 'failed') {
      record(outcome)
      continue
    }
    const { status, retryAfter, date } = response ?? {}
    const delayMs = nextRetryDelay({ attempts: number, schedule, status, retryAfter, date, now: now(), random })
    record(delayMs === undefined ? 'exhausted' : 'failed')
    if (delayMs !== undefined)
      retries.push({ ...retryOf(delivery), attempts: number, delayMs, suspect: false, redacted })
  }

  // A delivery that waits for an earlier event of its subject is stored as a retry without a due time, so that
  // the lane's `settledThrough` can move past it. Events of other subjects then need not wait for it.
  const fresh = lane.deliveries.filter(({ position = keptFrom }) => position < keptFrom)
  for (const delivery of fresh) if (delivery.waiting) retries.push(waiting(delivery))

  return {
    settledThrough: keptFrom === NONE ? lane.through : Math.max(lane.settledThrough, fresh.at(-1)?.position ?? 0),
    attempts,
    retries,
    ended,
    subjects: subjectsOf(lane.deliveries),
    postponeMs: keptFrom === NONE ? 0 : POSTPONE_MS,
  }
}

type Health = Pick<LaneSettlement, 'breakerFailures' | 'succeeded' | 'failedAttempts' | 'slow' | 'pauseMs' | 'disable'>

/** What the results of a visit say about the lane's target. */
function healthOf(lane: HeldLane, results: readonly Result[], { slowAfterMs, random }: SettlementRules): Health {
  let failedFirstAttempts = 0
  let failedRetries = 0
  let slowest = 0
  const outcomes = new Set<ResultOutcome>()
  for (const { delivery, result } of results) {
    if (!isAnswered(result)) continue
    const outcome = outcomeOf(result)
    outcomes.add(outcome)
    slowest = Math.max(slowest, result.durationMs)
    const isFailure = outcome === 'failed' || outcome === 'gone'
    // The target is not to blame for a request that could not be built.
    if (!isFailure || result.kind === 'unprepared') continue
    if (delivery.attempts === 0) failedFirstAttempts++
    else failedRetries++
  }
  const succeeded = outcomes.has('delivered')
  const failedAttempts = failedFirstAttempts + failedRetries
  const breakerFailures = breakerFailuresAfter({
    breakerFailures: lane.breakerFailures,
    succeeded,
    failedFirstAttempts,
    failedRetries,
  })
  const wasAttempted = succeeded || failedAttempts > 0
  return {
    breakerFailures,
    succeeded,
    failedAttempts,
    slow: wasAttempted ? breakerFailures > 0 || slowest > slowAfterMs : lane.slow,
    // Without an attempt, nothing new is known about the target, so the breaker does not pause the lane.
    pauseMs: wasAttempted ? breakerPause(breakerFailures, random) : 0,
    disable: outcomes.has('gone') ? 'gone' : undefined,
  }
}

type ResultOutcome = 'delivered' | 'failed' | 'gone' | 'expired'

function outcomeOf(result: AttemptResult): ResultOutcome {
  if (result.kind === 'response') return responseOutcome(result.status)
  return result.kind === 'expired' ? 'expired' : 'failed'
}

const NONE = Number.POSITIVE_INFINITY

/**
 * The position from which new deliveries keep their place in the feed, because all of them were postponed and none was
 * sent: the lane's `settledThrough` stays before them. Postponed deliveries before that become retries without counting
 * an attempt.
 */
function keepsPlaceFrom({ settledThrough }: HeldLane, results: readonly Result[]): number {
  let from = NONE
  for (const { delivery, result } of results.toReversed()) {
    if (delivery.backfilled === true) continue
    // A delivery at or before `settledThrough` is a retry, or was stored as one before its attempt.
    if (delivery.position === undefined || delivery.position <= settledThrough) break
    if (result.kind !== 'postponed' || result.wasSent) break
    from = delivery.position
  }
  return from
}

/**
 * The settlement of a lane from which nothing was sent. The lane's `settledThrough` stays in place, so that the same
 * deliveries are leased again. Pass `disable` if the subscription must be disabled because its key is no longer valid.
 */
export function unsentSettlement(lane: HeldLane, disable?: LaneSettlement['disable']): LaneSettlement {
  return {
    lease: lane.lease,
    settledThrough: lane.settledThrough,
    attempts: [],
    retries: [],
    ended: [],
    subjects: [],
    breakerFailures: lane.breakerFailures,
    succeeded: false,
    failedAttempts: 0,
    slow: lane.slow,
    pauseMs: 0,
    disable,
    keep: false,
  }
}

/**
 * The explicit return type makes sure that every reason is an `AttemptReason`. A new reason therefore does not compile
 * until the dashboard has a text for it.
 */
function reasonOf(result: AttemptResult): AttemptReason | undefined {
  if (result.kind === 'failed') return result.reason
  return result.kind === 'unprepared' ? 'unprepared' : undefined
}

/**
 * Makes a delivery due at once without counting an attempt, because this worker aborted the attempt or never made it.
 */
export function dueAgain(delivery: LeasedDelivery): RetryRecord {
  return { ...retryOf(delivery), delayMs: 0 }
}

/** Keeps a delivery waiting, because the delivery of an earlier event of its subject has not ended. */
function waiting({ eventId, attempts, redacted }: LeasedDelivery): RetryRecord {
  return { eventId, attempts, delayMs: undefined, suspect: false, redacted }
}

/** What a retry has from its delivery. */
export function retryOf({
  eventId,
  attempts,
  suspect,
  redacted,
  backfilled,
}: LeasedDelivery): Omit<RetryRecord, 'delayMs'> {
  return { eventId, attempts, suspect, redacted, ...(backfilled === true && { backfilled }) }
}

/** A delivery of a backfill that was postponed keeps its place in the backfill. */
function isPostponedBackfill({ delivery, result }: Pick<Result, 'delivery' | 'result'>): boolean {
  return result.kind === 'postponed' && delivery.backfilled === true
}

export function subjectsOf(deliveries: readonly LeasedDelivery[]): readonly string[] {
  return [...new Set(deliveries.flatMap(({ subject }) => subject ?? []))]
}
