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
  /** Whether it was to carry personal data; one that was not stays redacted. */
  readonly personalData: boolean
}

export interface SettlementRules {
  readonly schedule: readonly number[]
  /** A try that took longer makes the lane a slow one. */
  readonly slowAfterMs: number
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** A lane in the hands of this worker. */
export interface HeldLane extends LeasedLane {
  /** Monotonic milliseconds at which its lease was asked for: it ends no earlier than `leaseMs` later. */
  readonly askedAt: number
  /** Whether it was leased into a slot for slow and failing targets. */
  readonly slow: boolean
}

/** Turns what came of a lane's tries into what is written down. */
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
  let failedFirstTries = 0
  let failedRetries = 0
  let slowest = 0

  for (const { delivery, tried, personalData } of results) {
    const { eventId } = delivery
    const redacted = !personalData
    if (tried.kind === 'failed' && tried.reason === 'aborted') {
      retries.push({ ...dueAgain(delivery), redacted })
      continue
    }
    const number = delivery.tries + 1
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
    if (delivery.tries === 0) failedFirstTries++
    else failedRetries++
    const delayMs = nextRetryDelay({
      tries: number,
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
      retries.push({ eventId, tries: number, delayMs, suspect: false, redacted })
    }
  }

  // What may not overtake waits, and the cursor moves on: other subjects are not kept waiting by it.
  for (const delivery of lane.deliveries) if (delivery.blocked) retries.push(waiting(delivery))

  const failures = failuresAfter({ failures: lane.failures, succeeded, failedFirstTries, failedRetries })
  const tried = succeeded || failedFirstTries + failedRetries > 0
  return {
    lease: lane.lease,
    cursor: lane.through,
    attempts,
    retries,
    ended,
    subjects: subjectsOf(lane.deliveries),
    failures,
    succeeded,
    failedTries: failedFirstTries + failedRetries,
    slow: tried ? failures > 0 || slowest > slowAfterMs : lane.slow,
    // With nothing tried the breaker has learnt nothing: the lane waits for its next work.
    pauseMs: tried ? breakerPause(failures) : 0,
    disable: gone ? 'gone' : undefined,
    keep: false,
  }
}

/** A lane of which nothing was sent: its cursor stays, and it is disabled if its key is the reason. */
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
    failedTries: 0,
    slow: lane.slow,
    pauseMs: 0,
    disable,
    keep: false,
  }
}

/**
 * What is written before a delivery is tried that may have ended its worker: the try counts, and the next one is
 * scheduled, whatever happens now. The last one is followed by none, but by a look that finds the tries used up.
 */
export function forewrittenSettlement(
  lane: HeldLane,
  delivery: LeasedDelivery,
  { schedule, now }: SettlementRules,
): LaneSettlement {
  const tries = delivery.tries + 1
  const delayMs = nextRetryDelay({ tries, schedule, now: now() }) ?? 0
  const retries = [{ eventId: delivery.eventId, tries, delayMs, suspect: true, redacted: delivery.redacted }]
  return { ...heldSettlement(lane), cursor: lane.through, retries, keep: true }
}

/** Takes back what was forewritten: the try was not made after all. */
export function unwrittenSettlement(lane: HeldLane, delivery: LeasedDelivery): LaneSettlement {
  return { ...heldSettlement(lane), cursor: lane.through, retries: [dueAgain(delivery)] }
}

/** The end of a delivery that ended its workers until its tries were used up; undefined while it has tries left. */
export function crashedSettlement(
  lane: HeldLane,
  delivery: LeasedDelivery,
  { schedule }: SettlementRules,
): LaneSettlement | undefined {
  const { eventId, tries } = delivery
  if (tries <= schedule.length) return undefined
  const attempt: AttemptRecord & { readonly reason: AttemptReason } = {
    id: createId('att'),
    eventId,
    number: tries,
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

/** Typed, so that whoever puts reasons into words learns of a new one. */
function reasonOf(tried: Tried): AttemptReason | undefined {
  if (tried.kind === 'failed') return tried.reason
  return tried.kind === 'unprepared' ? 'unprepared' : undefined
}

/** Given up by this side: it is due again, and its try does not count. */
function dueAgain({ eventId, tries, suspect, redacted }: LeasedDelivery): RetryRecord {
  return { eventId, tries, delayMs: 0, suspect, redacted }
}

/** It has not been tried: an earlier event of its subject has not ended. */
function waiting({ eventId, tries, redacted }: LeasedDelivery): RetryRecord {
  return { eventId, tries, delayMs: undefined, suspect: false, redacted }
}

function subjectsOf(deliveries: readonly LeasedDelivery[]): readonly string[] {
  return [...new Set(deliveries.flatMap(({ subject }) => subject ?? []))]
}
