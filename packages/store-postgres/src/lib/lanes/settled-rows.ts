import {
  countAttempts,
  type FailingRule,
  type LaneLease,
  type LaneSettlement,
  type SettleResult,
  type SubscriptionRef,
  uuidFromId,
} from '@callboard/core/store'
import { dateOf } from '../sql/row-values.ts'
import type { LeaseInput } from './leases.ts'
import type { SettleParameters, SettleRow } from './settle.ts'
import type { SettledAttempt, SettledEnd, SettledLane, SettledRetry, SettledSubject } from './settled-lists.ts'

export function toLeaseRow({ accountId, mode, id, laneId = id, epoch }: LaneLease): LeaseInput {
  return { account_id: accountId, mode, subscription_id: uuidFromId('sub', laneId), epoch }
}

/**
 * Converts settlements to the parameters of `settle`: the lanes, and lists of what happened in them. Each item of these
 * lists has the number of its lane.
 */
export function toSettled(settlements: readonly LaneSettlement[], failing: FailingRule): SettleParameters {
  const ofLanes = <Part>(parts: (settlement: LaneSettlement, lane: number) => readonly Part[]): Part[] =>
    settlements.flatMap((settlement, index) => parts(settlement, index + 1))
  return {
    lanes: settlements.map(toLaneRow),
    attempts: ofLanes(toAttemptRows),
    retries: ofLanes(toRetryRows),
    ended: ofLanes(toEndRows),
    subjects: ofLanes(toSubjectRows),
    failingAttempts: failing.attempts,
    failingMs: failing.durationMs,
    reportAttempts: failing.report.attempts,
    reportMs: failing.report.afterMs,
  }
}

function toLaneRow(settlement: LaneSettlement): SettledLane {
  const {
    lease,
    attempts,
    retries,
    settledThrough,
    backfill,
    breakerFailures,
    succeeded,
    failedAttempts,
    slow,
    pauseMs,
    postponeMs = 0,
    disable,
    keep,
  } = settlement
  const counted = countAttempts(attempts)
  return {
    ...toLeaseRow(lease),
    settled_through: settledThrough,
    backfill_after: backfill?.after ?? null,
    backfill_through: backfill?.through ?? null,
    breaker_failures: breakerFailures,
    succeeded,
    failed: failedAttempts,
    slow,
    only_waiting: attempts.length === 0 && retries.some(({ delayMs }) => delayMs === undefined),
    pause_ms: pauseMs,
    postpone_ms: postponeMs,
    disable: disable ?? null,
    keep,
    now_delivered: counted.delivered,
    now_failed: counted.failed,
    now_ms: counted.durationMs,
  }
}

function toAttemptRows({ attempts }: LaneSettlement, lane: number): SettledAttempt[] {
  return attempts.map(({ id, eventId, number, outcome, status, reason, durationMs, response }) => ({
    lane,
    id: uuidFromId('att', id),
    event_id: uuidFromId('evt', eventId),
    number,
    outcome,
    status: status ?? null,
    reason: reason ?? null,
    duration_ms: Math.round(durationMs),
    response: response ?? null,
  }))
}

function toRetryRows({ retries }: LaneSettlement, lane: number): SettledRetry[] {
  return retries.map(({ eventId, attempts, delayMs, suspect, redacted, backfilled = false }) => ({
    lane,
    event_id: uuidFromId('evt', eventId),
    attempts,
    delay_ms: delayMs ?? null,
    suspect,
    redacted,
    manual: backfilled,
  }))
}

function toSubjectRows({ subjects }: LaneSettlement, lane: number): SettledSubject[] {
  return subjects.map((subject) => ({ lane, subject }))
}

/**
 * Determines for each ended delivery whether it was delivered. SQL could do this, but the plan read all attempts once
 * for each retry.
 */
function toEndRows({ ended, attempts }: LaneSettlement, lane: number): SettledEnd[] {
  const delivered = new Set(attempts.flatMap(({ outcome, eventId }) => (outcome === 'delivered' ? eventId : [])))
  return ended.map((eventId) => ({ lane, event_id: uuidFromId('evt', eventId), delivered: delivered.has(eventId) }))
}

export function toSettleResult(settlements: readonly LaneSettlement[], rows: readonly SettleRow[]): SettleResult {
  const fenced: LaneLease[] = []
  const disabled: SettleResult['disabled'][number][] = []
  const failing: SettleResult['failing'][number][] = []
  const recovered: SubscriptionRef[] = []
  const held = new Map(rows.map((row) => [row.n, row]))
  for (const [index, { lease }] of settlements.entries()) {
    const { accountId, mode, id } = lease
    const row = held.get(index + 1)
    if (row === undefined) {
      fenced.push(lease)
      continue
    }
    const { disable_reason, report, since, attempts } = row
    if (disable_reason !== null) disabled.push({ accountId, mode, id, reason: disable_reason })
    if (report === 'failing' && since !== null) failing.push({ accountId, mode, id, since: dateOf(since), attempts })
    if (report === 'recovered') recovered.push({ accountId, mode, id })
  }
  return { fenced, disabled, failing, recovered, dueInMs: held.get(0)?.due_in_ms ?? undefined }
}
