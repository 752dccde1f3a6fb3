import { countAttempts } from '../deliveries/count-attempts.ts'
import type { EndedState } from '../ports/delivery-record.ts'
import type { FailingRule, LaneSettlement, RetryRecord } from '../ports/lane-settlement.ts'
import type { Ordering } from '../ports/subscription-record.ts'
import type { DisabledReason } from '../subscriptions/who-may-enable.ts'
import { backfillAdvanced } from './backfilled.ts'
import { disabled } from './disabled.ts'
import { freed } from './freed.ts'
import { hasFreshWork, type Lane, nextWork, type Retries, type Retry } from './lane.ts'
import {
  type ChangingRetries,
  changing,
  type EndedDelivery,
  type LaneReport,
  type SettledChange,
} from './lane-change.ts'

export interface Settle {
  /** Its lease holds the lane (`isHeldBy`). */
  readonly settlement: LaneSettlement
  readonly failing: FailingRule
  readonly ordering: Ordering
  /** The subject and position of an event; undefined if the event was removed. */
  readonly eventOf: (eventId: string) => Pick<Retry, 'subject' | 'position'> | undefined
  /** How the delivery of an event has ended without success; undefined if it has not. */
  readonly endedAs: (eventId: string) => EndedState | undefined
  readonly now: number
}

/** Records what a lease's attempts came to, and ends the lease unless the worker keeps it. */
export function settled(lane: Lane, before: Retries, settle: Settle): SettledChange {
  const { settlement, failing, ordering, now } = settle
  const retries = changing(before)
  const ended = [...endDeliveries(lane, retries, settlement), ...retryDeliveries(lane, retries, settle)]
  const counted: Lane = { ...lane, ...countFailures(lane, settlement, now) }
  const disable = lane.state === 'disabled' ? undefined : disableReasonOf(counted, settlement, failing, now)
  const isSilent = lane.state === 'disabled' || disable !== undefined
  const report = isSilent ? undefined : laneReportOf(counted, settlement, failing, now)
  const recorded: Lane = {
    ...counted,
    settledThrough: Math.max(lane.settledThrough, settlement.settledThrough),
    backfill: backfillAdvanced(lane.backfill, settlement.backfill),
    breakerFailures: settlement.breakerFailures,
    slow: settlement.slow,
    claims: sentNothing(settlement) ? Math.max(lane.claims - 1, 0) : isPart(settlement) ? lane.claims : 0,
    reported: !settlement.succeeded && (lane.reported || report?.kind === 'failing'),
  }
  const left = settlement.keep ? recorded : release(recorded, retries, settlement, now)
  const after = disable === undefined ? left : disabled(left)
  return {
    lane: freed(after, retries, { subjects: settlement.subjects, ordering, now }),
    ...retries.change(),
    ended,
    endedRange: undefined,
    counted: countAttempts(settlement.attempts),
    disable,
    report,
  }
}

/** Ends deliveries. One that somebody resent during the lease ends only if it was delivered. */
function endDeliveries(
  { epoch }: Lane,
  retries: ChangingRetries,
  { attempts, ended }: LaneSettlement,
): readonly EndedDelivery[] {
  const delivered = new Set(attempts.flatMap(({ eventId, outcome }) => (outcome === 'delivered' ? eventId : [])))
  const stays = (eventId: string): boolean => retries.get(eventId)?.resentEpoch === epoch && !delivered.has(eventId)
  const unsuccessful = attempts.flatMap(({ eventId, outcome, number }): EndedDelivery[] => {
    if (outcome === 'failed' || outcome === 'delivered' || stays(eventId)) return []
    return [{ eventId, state: outcome === 'gone' ? 'disabled' : outcome, attempts: number }]
  })
  for (const eventId of ended) if (!stays(eventId)) retries.close(eventId)
  return unsuccessful
}

/**
 * Stores retries. But if the lane's pending deliveries were ended during the lease, they stay ended, except those that
 * somebody resent since.
 */
function retryDeliveries(
  { epoch, skipped }: Lane,
  retries: ChangingRetries,
  { settlement, eventOf, endedAs, now }: Settle,
): readonly EndedDelivery[] {
  const ended: EndedDelivery[] = []
  for (const record of settlement.retries) {
    const { eventId, attempts } = record
    const known = retries.get(eventId)
    if (skipped?.epoch === epoch && known === undefined)
      ended.push({ eventId, attempts, state: endedAs(eventId) ?? skipped.as })
    else retries.write(retryOf(record, known, eventOf(eventId), { epoch, now }))
  }
  return ended
}

function retryOf(
  { delayMs, backfilled = false, ...record }: RetryRecord,
  known: Retry | undefined,
  place: Pick<Retry, 'subject' | 'position'> | undefined,
  { epoch, now }: { readonly epoch: number; readonly now: number },
): Retry {
  const wasResent = known?.resentEpoch === epoch
  // Only an event that exists has a subject to wait for.
  const delay = wasResent ? 0 : place === undefined ? (delayMs ?? 0) : delayMs
  return {
    ...record,
    dueAt: delay === undefined ? undefined : now + delay,
    // After an attempt, the delivery no longer goes before others, unless somebody resent it during that attempt.
    askedAt: wasResent || known?.attempts === record.attempts ? known?.askedAt : undefined,
    resentEpoch: known?.resentEpoch,
    manual: known?.manual ?? backfilled,
    subject: known === undefined ? place?.subject : known.subject,
    position: known === undefined ? place?.position : known.position,
  }
}

function countFailures(
  { failedAttempts, failingSince }: Lane,
  settlement: LaneSettlement,
  now: number,
): Pick<Lane, 'failedAttempts' | 'failingSince'> {
  if (settlement.succeeded) return { failedAttempts: 0, failingSince: undefined }
  if (settlement.failedAttempts === 0) return { failedAttempts, failingSince }
  return { failedAttempts: failedAttempts + settlement.failedAttempts, failingSince: failingSince ?? now }
}

/** The reason for which the settlement disables the subscription; undefined if it does not. */
function disableReasonOf(
  { failedAttempts, failingSince }: Lane,
  settlement: LaneSettlement,
  { attempts, durationMs }: FailingRule,
  now: number,
): DisabledReason | undefined {
  if (settlement.disable !== undefined) return settlement.disable
  const hasFailed = !settlement.succeeded && settlement.failedAttempts > 0
  return hasFailed && failedAttempts >= attempts && now - (failingSince ?? now) >= durationMs ? 'failing' : undefined
}

function laneReportOf(
  { reported, failedAttempts, failingSince }: Lane,
  settlement: LaneSettlement,
  { report }: FailingRule,
  now: number,
): LaneReport | undefined {
  if (settlement.succeeded) return reported ? { kind: 'recovered' } : undefined
  if (reported || settlement.failedAttempts === 0 || failingSince === undefined) return undefined
  const isFailing = failedAttempts >= report.attempts || now - failingSince >= report.afterMs
  return isFailing ? { kind: 'failing', since: failingSince, attempts: failedAttempts } : undefined
}

/** A lease whose deliveries were all waiting cannot have crashed its worker. */
function sentNothing({ attempts, retries }: LaneSettlement): boolean {
  return attempts.length === 0 && retries.some(({ delayMs }) => delayMs === undefined)
}

/** After a part of a visit, a delivery that is still open can crash the worker. */
function isPart({ keep, attempts }: LaneSettlement): boolean {
  return keep && attempts.length > 0
}

/**
 * Ends the lease. The breaker's pause is 0 if somebody resent, skipped or enabled during the lease: the target may have
 * been repaired after the attempts failed.
 */
function release(lane: Lane, retries: ChangingRetries, { pauseMs, postponeMs = 0 }: LaneSettlement, now: number): Lane {
  const { state, epoch, nudged } = lane
  const free = { ...lane, leasedUntil: undefined, nudged: false }
  if (state === 'disabled') return { ...free, epoch: epoch + 1 }
  const mayBeRepaired = nudged || lane.skipped?.epoch === epoch
  if (pauseMs > 0) return { ...free, state: 'paused', wakeAt: now + (mayBeRepaired ? 0 : pauseMs) }
  const isPostponed = hasFreshWork(lane) && !nudged
  return {
    ...free,
    state: 'idle',
    wakeAt: isPostponed ? now + postponeMs : nudged ? now : nextWork(lane, retries.values(), now),
  }
}
