import { createId } from '@callboard/core'
import type { AttemptReason } from '@callboard/core/engine'
import type { AttemptRecord, LaneSettlement, LeasedDelivery } from '@callboard/core/store'
import { nextRetryDelay } from './retry-policy.ts'
import {
  dueAgain,
  type HeldLane,
  retryOf,
  type SettlementRules,
  subjectsOf,
  unsentSettlement,
} from './settlement-of.ts'

/**
 * Returns the settlement that records the attempt of a suspect delivery (one that may have crashed its worker) before
 * the attempt is made, and schedules the next attempt. If the attempt is the last of the schedule, the delivery becomes
 * due at once instead: should this attempt crash the worker too, the next visit to the lane ends the delivery as
 * exhausted.
 */
export function forewrittenSettlement(
  lane: HeldLane,
  delivery: LeasedDelivery,
  { schedule, now, random }: SettlementRules,
): LaneSettlement {
  const attempts = delivery.attempts + 1
  const delayMs = nextRetryDelay({ attempts, schedule, now: now(), random }) ?? 0
  const retries = [{ ...retryOf(delivery), attempts, delayMs, suspect: true }]
  return { ...unsentSettlement(lane), settledThrough: lane.through, retries, keep: true }
}

/** Returns the settlement that undoes a {@link forewrittenSettlement}, because its attempt was not made after all. */
export function unwrittenSettlement(lane: HeldLane, delivery: LeasedDelivery): LaneSettlement {
  return { ...unsentSettlement(lane), settledThrough: lane.through, retries: [dueAgain(delivery)] }
}

/** Returns the settlement that ends a suspect delivery as exhausted, or undefined if the delivery has attempts left. */
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
    ...unsentSettlement(lane),
    settledThrough: lane.through,
    attempts: [attempt],
    ended: [eventId],
    subjects: subjectsOf([delivery]),
  }
}
