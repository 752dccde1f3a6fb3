import type { DisabledReason } from '@callboard/core'
import {
  type EndedState,
  type FailingRule,
  type FailingSubscription,
  isErased,
  type LaneLease,
  type LaneSettlement,
  type SettleResult,
  type SubscriptionRef,
} from '@callboard/core/store'
import { recordDisabled } from './audit.ts'
import { countHour } from './health.ts'
import { disable, holderOf, nextWork, wakeAt } from './lanes.ts'
import type { Lane, MemoryState, SubscriptionState } from './memory-state.ts'
import { freeSubjects } from './subject-order.ts'

export function settle(state: MemoryState, settlements: readonly LaneSettlement[], failing: FailingRule): SettleResult {
  const fenced: LaneLease[] = []
  const disabled: (SubscriptionRef & { reason: DisabledReason })[] = []
  const failures: FailingSubscription[] = []
  const recovered: SubscriptionRef[] = []
  for (const settlement of settlements) {
    const subscription = holderOf(state, settlement.lease)
    if (subscription === undefined) {
      fenced.push(settlement.lease)
      continue
    }
    const reason = settleLane(state, subscription, settlement, failing)
    const { accountId, mode, id } = settlement.lease
    if (reason !== undefined) {
      disabled.push({ accountId, mode, id, reason })
      recordDisabled(state, { accountId, mode, id }, reason)
    }
    if (subscription.record.state === 'disabled') continue
    const { lane } = subscription
    if (settlement.succeeded && lane.reported) recovered.push({ accountId, mode, id })
    if (settlement.succeeded) lane.reported = false
    if (lane.reported || lane.failingSince === undefined || settlement.failedAttempts === 0) continue
    const since = new Date(lane.failingSince)
    lane.reported =
      lane.failedAttempts >= failing.report.attempts || state.now() - lane.failingSince >= failing.report.afterMs
    if (lane.reported) failures.push({ accountId, mode, id, since, attempts: lane.failedAttempts })
  }
  return { fenced, disabled, failing: failures, recovered }
}

/** Settles one lane. If that disables the subscription, returns the reason. */
function settleLane(
  state: MemoryState,
  subscription: SubscriptionState,
  settlement: LaneSettlement,
  failing: FailingRule,
): DisabledReason | undefined {
  const { lane, record } = subscription
  const now = state.now()
  const home = state.accounts.get(record.accountId)?.modes[record.mode]
  const events = home?.events
  for (const attempt of settlement.attempts) {
    // If the event was erased or removed after the attempt started, the response can contain data that must no longer
    // be stored.
    const content = events?.get(attempt.eventId)?.content
    const isStored = content !== undefined && !isErased(content.fingerprint)
    const response = isStored || attempt.response === '' ? attempt.response : undefined
    lane.history.attempts.push({
      ...attempt,
      response,
      subscriptionId: record.id,
      startedAt: new Date(now - attempt.durationMs),
    })
  }
  countHour(lane.history, settlement, now)
  end(lane, settlement)
  // `claims` counts leases that may have crashed their worker. A lease that contained only blocked deliveries is not
  // counted, because its worker sent nothing.
  const onlyBlocked =
    settlement.attempts.length === 0 && settlement.retries.some(({ delayMs }) => delayMs === undefined)
  lane.claims = onlyBlocked ? Math.max(lane.claims - 1, 0) : 0
  if (!settlement.keep) lane.leased = false
  lane.cursor = Math.max(lane.cursor, settlement.cursor)
  for (const { delayMs, ...retry } of settlement.retries) {
    if (lane.skippedEpoch === settlement.lease.epoch) {
      lane.history.ended.set(retry.eventId, {
        state: endedStateOf(lane, retry.eventId, home?.positions.get(retry.eventId)),
        attempts: retry.attempts,
      })
      continue
    }
    const known = lane.retries.get(retry.eventId)
    const subject = known?.subject ?? events?.get(retry.eventId)?.subjectKey
    const asked = known?.resentEpoch === settlement.lease.epoch
    // The subject is unknown if the event was removed. The delivery then cannot wait for an earlier event of the
    // subject, so it is due at once.
    const delay = asked || (subject === undefined && delayMs === undefined) ? 0 : delayMs
    lane.retries.set(retry.eventId, {
      manual: false,
      position: home?.positions.get(retry.eventId),
      ...known,
      ...retry,
      subject,
      dueAt: delay === undefined ? undefined : now + delay,
      // After an attempt, the delivery no longer goes before others, unless somebody resent it during that attempt.
      askedAt: asked || known?.attempts === retry.attempts ? known?.askedAt : undefined,
    })
  }
  countFailures(lane, settlement, now)
  // If the subscription was disabled during the lease, the lease's attempts are recorded but nothing is retried.
  if (record.state === 'disabled') return undefined

  lane.failures = settlement.failures
  lane.slow = settlement.slow

  const fails = settlement.failedAttempts > 0 && onlyFails(lane, failing, now)
  const reason = settlement.disable ?? (fails ? 'failing' : undefined)
  if (reason !== undefined) return disable(state, subscription, reason) ? reason : undefined
  if (!settlement.keep) {
    lane.paused = settlement.pauseMs > 0
    const { holdMs = 0 } = settlement
    const held = lane.head > lane.cursor && !isNudged(lane, settlement)
    wakeAt(
      state,
      subscription,
      lane.paused ? now + pauseOf(lane, settlement) : held ? now + holdMs : nextWork(lane, now),
    )
  }
  freeSubjects(state, subscription, new Set(settlement.subjects))
  return undefined
}

/**
 * Records the deliveries that the settlement ends. A delivery that somebody resent during the lease ends only if it was
 * delivered.
 */
function end({ retries, history }: Lane, { lease, attempts, ended }: LaneSettlement): void {
  const delivered = new Set(attempts.flatMap(({ eventId, outcome }) => (outcome === 'delivered' ? [eventId] : [])))
  const wasResent = (eventId: string): boolean =>
    retries.get(eventId)?.resentEpoch === lease.epoch && !delivered.has(eventId)
  for (const { eventId, outcome, number } of attempts) {
    if (outcome === 'failed' || outcome === 'delivered' || wasResent(eventId)) continue
    history.ended.set(eventId, { state: outcome === 'gone' ? 'disabled' : outcome, attempts: number })
  }
  for (const eventId of ended) if (!wasResent(eventId)) retries.delete(eventId)
}

/** The state of a delivery whose attempt was in flight when all pending deliveries of its lane were ended. */
function endedStateOf({ history }: Lane, eventId: string, position = Number.POSITIVE_INFINITY): EndedState {
  const range = history.endedRanges.find(({ after, through }) => position > after && position <= through)
  return history.ended.get(eventId)?.state ?? range?.state ?? 'skipped'
}

/**
 * Returns the breaker's pause. It is 0 if somebody resent a delivery, skipped to now or enabled the subscription during
 * the lease, because the target may have been repaired after the settlement's attempts failed.
 */
function pauseOf(lane: Lane, settlement: LaneSettlement): number {
  return isNudged(lane, settlement) || lane.skippedEpoch === settlement.lease.epoch ? 0 : settlement.pauseMs
}

function isNudged({ retries }: Lane, { lease }: LaneSettlement): boolean {
  return [...retries.values()].some(({ resentEpoch }) => resentEpoch === lease.epoch)
}

function countFailures(lane: Lane, { succeeded, failedAttempts }: LaneSettlement, now: number): void {
  if (succeeded) {
    lane.failedAttempts = 0
    lane.failingSince = undefined
  } else if (failedAttempts > 0) {
    lane.failedAttempts += failedAttempts
    lane.failingSince ??= now
  }
}

function onlyFails(
  { failedAttempts, failingSince }: Lane,
  { attempts, durationMs }: FailingRule,
  now: number,
): boolean {
  return failingSince !== undefined && failedAttempts >= attempts && now - failingSince >= durationMs
}
