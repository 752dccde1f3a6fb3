import type { DisabledReason } from '@callboard/core'
import {
  type FailingRule,
  isErased,
  type LaneLease,
  type LaneSettlement,
  laneActs,
  type SettleResult,
  type SubscriptionRef,
} from '@callboard/core/store'
import type { MemoryState, SubscriptionState } from '../memory-state.ts'
import { recordDisabled } from '../stores/audit-store.ts'
import { countHour } from '../stores/health-store.ts'
import { apply, holderOf, markDisabled, subjectKeyOf } from './lanes.ts'

export function settle(state: MemoryState, settlements: readonly LaneSettlement[], failing: FailingRule): SettleResult {
  const fenced: LaneLease[] = []
  const disabled: (SubscriptionRef & { reason: DisabledReason })[] = []
  const failures: SettleResult['failing'][number][] = []
  const recovered: SubscriptionRef[] = []
  const dueAt: number[] = []
  for (const settlement of settlements) {
    const subscription = holderOf(state, settlement.lease)
    if (subscription === undefined) {
      fenced.push(settlement.lease)
      continue
    }
    if (settlement.keep && isRecorded(subscription, settlement)) continue
    const { accountId, mode, id } = settlement.lease
    const ref = { accountId, mode, id }
    const { disable: reason, report } = settleLane(state, subscription, settlement, failing)
    if (reason !== undefined) {
      disabled.push({ ...ref, reason })
      recordDisabled(state, ref, reason)
    }
    if (report?.kind === 'recovered') recovered.push(ref)
    if (report?.kind === 'failing') failures.push({ ...ref, since: new Date(report.since), attempts: report.attempts })
    const { state: laneState, wakeAt } = subscription.lane
    if (laneState !== 'leased' && wakeAt !== undefined) dueAt.push(wakeAt)
  }
  const dueInMs = dueAt.length > 0 ? Math.max(0, Math.min(...dueAt) - state.now()) : undefined
  return { fenced, disabled, failing: failures, recovered, dueInMs }
}

function isRecorded({ history }: SubscriptionState, { attempts: [first] }: LaneSettlement): boolean {
  return history.attempts.some(({ id }) => id === first?.id)
}

function settleLane(
  state: MemoryState,
  subscription: SubscriptionState,
  settlement: LaneSettlement,
  failing: FailingRule,
): ReturnType<typeof laneActs.settled> {
  const { lane, record, retries, history } = subscription
  const now = state.now()
  const home = state.accounts.get(record.accountId)?.modes[record.mode]
  for (const attempt of settlement.attempts) {
    // If the event was erased or removed after the attempt started, the response can contain data that must no longer
    // be stored.
    const content = home?.events.get(attempt.eventId)?.content
    const isStored = content !== undefined && !isErased(content.fingerprint)
    const response = isStored || attempt.response === '' ? attempt.response : undefined
    const startedAt = new Date(now - attempt.durationMs)
    history.attempts.push({ ...attempt, response, subscriptionId: record.id, startedAt })
  }
  const change = laneActs.settled(lane, retries, {
    settlement,
    failing,
    ordering: record.ordering,
    eventOf(eventId) {
      const event = home?.events.get(eventId)
      return event && { subject: subjectKeyOf(event), position: home?.positions.get(eventId) }
    },
    endedAs: (eventId) => history.ended.get(eventId)?.state,
    now,
  })
  countHour(history, change.counted, now)
  if (change.disable !== undefined) markDisabled(state, subscription, change.disable)
  apply(state, subscription, change)
  return change
}
