import { createId } from '@callboard/core'
import {
  type AttemptReason,
  breakerPause,
  failuresAfter,
  nextRetryDelay,
  responseVerdict,
} from '@callboard/core/engine'
import type { AttemptRecord, LaneSettlement, LeasedDelivery, LeasedLane, RetryRecord } from '@callboard/core/store'
import type { Tried } from './attempt.ts'

export interface Result {
  readonly delivery: LeasedDelivery
  readonly tried: Tried
  /** Whether it could carry personal data. A delivery attempted without it stays redacted. */
  readonly personalData: boolean
}

export interface SettlementRules {
  readonly schedule: readonly number[]
  /** An attempt that takes longer makes the lane slow. */
  readonly slowAfterMs: number
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** A lane that this worker has leased. */
export interface HeldLane extends LeasedLane {
  /** Monotonic milliseconds when its lease was requested. The lease ends no earlier than `leaseMs` after that. */
  readonly askedAt: number
  /** Whether it was leased for a slot of slow and failing targets. */
  readonly slow: boolean
}

/** Turns the results of a lane's attempts into its settlement. */
export function settlementOf(
  lane: HeldLane,
  results: readonly Result[],
  { schedule, slowAfterMs, now }: SettlementRules,
): LaneSettlement {
  const attempts: AttemptRecord[] = []
  const retries: RetryRecord[] = []
  const ended: string[] = []
  let succeeded = false
  let gone = false
  let failedFirstAttempts = 0
  let failedRetries = 0
  let slowest = 0

  for (const { delivery, tried, personalData } of results) {
    const { eventId } = delivery
    const redacted = !personalData
    if (tried.kind === 'failed' && tried.reason === 'aborted') {
      retries.push({ ...dueAgain(delivery), redacted })
      continue
    }
    const number = delivery.attempts + 1
    const status = tried.kind === 'response' ? tried.status : undefined
    const response = tried.kind === 'response' ? tried.body : undefined
    const reason = reasonOf(tried)
    const record = (outcome: AttemptRecord['outcome']): void => {
      attempts.push({
        id: createId('att'),
        eventId,
        number,
        outcome,
        status,
        reason,
        durationMs: tried.durationMs,
        response,
      })
      if (outcome !== 'failed') ended.push(eventId)
    }
    if (tried.kind === 'expired') {
      record('expired')
      continue
    }
    slowest = Math.max(slowest, tried.durationMs)
    const verdict = status === undefined ? 'failed' : responseVerdict(status)
    if (verdict === 'delivered') {
      succeeded = true
      record('delivered')
      continue
    }
    if (delivery.attempts === 0) failedFirstAttempts++
    else failedRetries++
    const delayMs = nextRetryDelay({
      attempts: number,
      schedule,
      status,
      retryAfter: tried.kind === 'response' ? tried.retryAfter : undefined,
      date: tried.kind === 'response' ? tried.date : undefined,
      now: now(),
    })
    if (verdict === 'gone') {
      gone = true
      record('gone')
    } else if (delayMs === undefined) {
      record('exhausted')
    } else {
      record('failed')
      retries.push({ eventId, attempts: number, delayMs, suspect: false, redacted })
    }
  }

  // A blocked delivery becomes a retry without a time, so that the cursor moves on and other subjects do not wait.
  for (const delivery of lane.deliveries) if (delivery.blocked) retries.push(waiting(delivery))

  const failures = failuresAfter({ failures: lane.failures, succeeded, failedFirstAttempts, failedRetries })
  const tried = succeeded || failedFirstAttempts + failedRetries > 0
  return {
    lease: lane.lease,
    cursor: lane.through,
    attempts,
    retries,
    ended,
    subjects: subjectsOf(lane.deliveries),
    failures,
    succeeded,
    failedAttempts: failedFirstAttempts + failedRetries,
    slow: tried ? failures > 0 || slowest > slowAfterMs : lane.slow,
    // Without an attempt the breaker has learnt nothing, so the lane is not paused.
    pauseMs: tried ? breakerPause(failures) : 0,
    disable: gone ? 'gone' : undefined,
    keep: false,
  }
}

/** Settles a lane of which nothing was sent. The cursor stays; `disable` is set if its key no longer counts. */
export function heldSettlement(lane: HeldLane, disable?: LaneSettlement['disable']): LaneSettlement {
  return {
    lease: lane.lease,
    cursor: lane.cursor,
    attempts: [],
    retries: [],
    ended: [],
    subjects: [],
    failures: lane.failures,
    succeeded: false,
    failedAttempts: 0,
    slow: lane.slow,
    pauseMs: 0,
    disable,
    keep: false,
  }
}

/**
 * Settles a suspect delivery before its attempt, which may crash the worker: the attempt counts and the next one is
 * scheduled. After the last attempt, the delivery is due at once, and that visit exhausts it.
 */
export function forewrittenSettlement(
  lane: HeldLane,
  delivery: LeasedDelivery,
  { schedule, now }: SettlementRules,
): LaneSettlement {
  const attempts = delivery.attempts + 1
  const delayMs = nextRetryDelay({ attempts, schedule, now: now() }) ?? 0
  const retries = [{ eventId: delivery.eventId, attempts, delayMs, suspect: true, redacted: delivery.redacted }]
  return { ...heldSettlement(lane), cursor: lane.through, retries, keep: true }
}

/** Reverts {@link forewrittenSettlement} when the attempt was not made after all. */
export function unwrittenSettlement(lane: HeldLane, delivery: LeasedDelivery): LaneSettlement {
  return { ...heldSettlement(lane), cursor: lane.through, retries: [dueAgain(delivery)] }
}

/** Exhausts a delivery that crashed workers until its attempts were used up; undefined while it has attempts left. */
export function crashedSettlement(
  lane: HeldLane,
  delivery: LeasedDelivery,
  { schedule }: SettlementRules,
): LaneSettlement | undefined {
  const { eventId, attempts } = delivery
  if (attempts <= schedule.length) return undefined
  const attempt: AttemptRecord & { readonly reason: AttemptReason } = {
    id: createId('att'),
    eventId,
    number: attempts,
    outcome: 'exhausted',
    status: undefined,
    reason: 'crashed',
    durationMs: 0,
    response: undefined,
  }
  return {
    ...heldSettlement(lane),
    cursor: lane.through,
    attempts: [attempt],
    ended: [eventId],
    subjects: subjectsOf([delivery]),
  }
}

/** The return type makes a new reason a compile error wherever reasons are put into words. */
function reasonOf(tried: Tried): AttemptReason | undefined {
  if (tried.kind === 'failed') return tried.reason
  return tried.kind === 'unprepared' ? 'unprepared' : undefined
}

/** Makes a delivery due at once. This side gave up its attempt, so the attempt does not count. */
function dueAgain({ eventId, attempts, suspect, redacted }: LeasedDelivery): RetryRecord {
  return { eventId, attempts, delayMs: 0, suspect, redacted }
}

/** Keeps a delivery waiting that was not attempted, because an earlier event of its subject has not ended. */
function waiting({ eventId, attempts, redacted }: LeasedDelivery): RetryRecord {
  return { eventId, attempts, delayMs: undefined, suspect: false, redacted }
}

function subjectsOf(deliveries: readonly LeasedDelivery[]): readonly string[] {
  return [...new Set(deliveries.flatMap(({ subject }) => subject ?? []))]
}
