import assert from 'node:assert/strict'
import type { DisabledReason } from '@callboard/core'
import {
  type AttemptOutcome,
  type AttemptRecord,
  type FailingRule,
  isErased,
  type LaneSettlement,
  type RetryRecord,
} from '@callboard/core/store'
import { byId } from './compare.ts'
import { idFromTime } from './ids.ts'
import { type HeldDelivery, type HeldLane, MAX_ATTEMPTS, MINUTE } from './model.ts'
import type { Plan } from './steps.ts'
import { waitOf } from './subscription-steps.ts'
import { disable } from './transitions.ts'
import type { World } from './world.ts'

const FAILING: FailingRule = {
  attempts: 4,
  durationMs: 3 * MINUTE - MINUTE / 2,
  report: { attempts: 3, afterMs: 2 * MINUTE },
}

interface Settling {
  readonly held: HeldLane
  readonly settlement: LaneSettlement
  readonly left: readonly HeldDelivery[]
}

/** Settles several lanes in one call. The store must fence lanes whose lease was lost, and record nothing for them. */
export async function settle(world: World, plans: readonly Plan[]): Promise<void> {
  const settling: Settling[] = []
  for (const plan of plans) {
    const held = world.held[plan.held % Math.max(1, world.held.length)]
    if (held === undefined || settling.some(({ held: { subscription } }) => subscription === held.subscription))
      continue
    settling.push(settlementOf(world, held, plan))
  }
  const result = await world.store.deliveries.settle(
    settling.map(({ settlement }) => settlement),
    FAILING,
  )
  const fenced = settling.filter(({ held }) => !isHeld(held))
  assert.deepEqual(
    byId(result.fenced),
    byId(fenced.map(({ settlement }) => settlement.lease)),
    'lost leases are fenced',
  )
  const disabled = settling.flatMap((each) => {
    const { accountId, mode, id } = each.settlement.lease
    const reason = isHeld(each.held) ? write(world, each) : undefined
    return reason === undefined ? [] : [{ accountId, mode, id, reason }]
  })
  assert.deepEqual(byId(result.disabled), byId(disabled), 'the subscriptions that settling disables')
  for (const { held, settlement, left } of settling) {
    held.left = left
    held.cursor = settlement.cursor
    // Sometimes leaves a released lease in `held`, so that a later step tries to settle with a lease that has ended.
    if (!settlement.keep && world.made % 4 !== 0) world.held = world.held.filter((each) => each !== held)
  }
}

/** Whether the worker still holds the lane. Disabling the subscription does not end the lease. */
export function isHeld({ subscription, epoch }: HeldLane): boolean {
  return subscription.state !== 'removed' && subscription.lane.holder === epoch
}

function settlementOf(world: World, held: HeldLane, plan: Plan): Settling {
  const { subscription, epoch, failures, slow } = held
  const base: LaneSettlement = {
    lease: { ...subscription.ref, epoch },
    cursor: held.cursor,
    attempts: [],
    retries: [],
    ended: [],
    subjects: [],
    failures,
    succeeded: false,
    failedAttempts: 0,
    slow,
    pauseMs: 0,
    disable: undefined,
    keep: false,
  }
  if (!held.deliverable) return { held, settlement: { ...base, disable: held.hold }, left: held.left }
  const [first] = held.left
  if (first?.suspect === true && plan.recordFirst) return recordedFirst(held, base, first, plan)

  const settled = held.left.slice(0, plan.count)
  const left = held.left.slice(plan.count)
  const attempts: AttemptRecord[] = []
  const retries: RetryRecord[] = []
  let gone = false
  settled.forEach((delivery, index) => {
    const { eventId, suspect } = delivery
    const redacted = delivery.redacted || !held.personalData
    const planned = delivery.event === undefined ? 'expired' : plan.outcomes[index % plan.outcomes.length]!
    if (planned === 'aborted') {
      retries.push({ eventId, attempts: delivery.attempts, delayMs: 0, suspect, redacted })
      return
    }
    const number = delivery.attempts + 1
    const outcome = planned === 'failed' && number >= MAX_ATTEMPTS ? 'exhausted' : planned
    attempts.push(attemptOf(world, eventId, number, outcome, plan.answers))
    if (outcome === 'failed')
      retries.push({ eventId, attempts: number, delayMs: waitOf(plan.minutes), suspect: false, redacted })
    gone ||= outcome === 'gone'
  })
  const positions = settled.flatMap(({ position }) => position ?? [])
  const settlement: LaneSettlement = {
    ...base,
    cursor: left.length === 0 ? Math.max(held.through, held.cursor) : Math.max(held.cursor, ...positions),
    attempts,
    retries,
    ended: attempts.filter(({ outcome }) => outcome !== 'failed').map(({ eventId }) => eventId),
    failures: plan.failures,
    succeeded: attempts.some(({ outcome }) => outcome === 'delivered'),
    failedAttempts: attempts.filter(({ outcome }) => outcome !== 'delivered' && outcome !== 'expired').length,
    slow: plan.slow,
    pauseMs: waitOf(plan.pause),
    disable: gone ? 'gone' : undefined,
    keep: plan.keep && left.length > 0,
  }
  return { held, settlement, left }
}

function recordedFirst(held: HeldLane, base: LaneSettlement, suspect: HeldDelivery, plan: Plan): Settling {
  const { eventId, redacted } = suspect
  const attempts = Math.min(suspect.attempts + 1, MAX_ATTEMPTS)
  const retries = [{ eventId, attempts, delayMs: waitOf(plan.minutes), suspect: true, redacted }]
  return { held, settlement: { ...base, cursor: held.through, retries, keep: true }, left: held.left }
}

function attemptOf(
  world: World,
  eventId: string,
  number: number,
  outcome: AttemptOutcome,
  answers: boolean,
): AttemptRecord {
  const id = idFromTime('att', world.startedAt + world.time, ++world.made)
  const response = answers ? `response to ${eventId}` : undefined
  const status = outcome === 'delivered' ? 200 : outcome === 'gone' ? 410 : 500
  return { id, eventId, number, outcome, status, reason: undefined, durationMs: 1, response }
}

/** Applies a settlement to the model. If that disables the subscription, returns the reason. */
function write(world: World, { held, settlement }: Settling): DisabledReason | undefined {
  const { home, subscription } = held
  const { lane, deliveries } = subscription
  for (const { id, eventId, number, outcome, response } of settlement.attempts) {
    // If the event was erased or removed since the lease, the response is not stored: it may repeat the removed data.
    const event = home.events.find((each) => each.id === eventId)
    const isStored = event !== undefined && !isErased(event.fingerprint)
    subscription.attempts.push({
      id,
      eventId,
      number,
      outcome,
      startedAt: world.time,
      response: isStored ? response : undefined,
    })
  }
  for (const { eventId, outcome } of settlement.attempts) {
    if (outcome === 'failed') continue
    deliveries.get(eventId)!.state = outcome === 'gone' ? 'disabled' : outcome
  }
  for (const { eventId, delayMs, ...retry } of lane.outlasting ? [] : settlement.retries)
    deliveries.set(eventId, { ...retry, state: 'retry', dueAt: world.time + (delayMs ?? 0) })
  if (held.left.length === 0 && settlement.cursor === held.through && !lane.outlasting) lane.caughtUp = held.overtaken
  if (!settlement.keep) lane.holder = undefined
  if (subscription.state === 'disabled') return undefined

  lane.claims = 0
  lane.failures = settlement.failures
  lane.slow = settlement.slow
  const pauseMs = lane.outlasting ? 0 : settlement.pauseMs
  if (!settlement.keep) lane.wakeAt = settlement.pauseMs > 0 ? world.time + pauseMs : undefined
  const since = lane.failingSince
  if (settlement.succeeded) {
    lane.failedAttempts = 0
    lane.failingSince = undefined
  } else if (settlement.failedAttempts > 0) {
    lane.failedAttempts += settlement.failedAttempts
    lane.failingSince ??= world.time
  }
  const onlyFails =
    !settlement.succeeded &&
    settlement.failedAttempts > 0 &&
    lane.failedAttempts >= FAILING.attempts &&
    since !== undefined &&
    world.time - since >= FAILING.durationMs
  const reason = settlement.disable ?? (onlyFails ? 'failing' : undefined)
  return reason !== undefined && disable(subscription, reason) ? reason : undefined
}
