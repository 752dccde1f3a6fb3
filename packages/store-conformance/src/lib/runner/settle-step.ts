import type { AttemptRecord, FailingRule, LaneSettlement, LeasedDelivery, RetryRecord } from '@callboard/core/store'
import { byId } from './comparable.ts'
import { idFromTime } from './ids.ts'
import type { Plan } from './steps.ts'
import { both, type Held, MINUTE, pick, type World, waitOf } from './world.ts'

/** The number of attempts after which a delivery is exhausted. */
const MAX_ATTEMPTS = 3

const FAILING: FailingRule = {
  attempts: 4,
  durationMs: 3 * MINUTE - MINUTE / 2,
  report: { attempts: 3, afterMs: 2 * MINUTE },
}

/** Settles several lanes in one call, among them lanes whose lease was lost. */
export async function settle(world: World, plans: readonly Plan[]): Promise<void> {
  const settling = new Map<Held, LaneSettlement>()
  for (const plan of plans) {
    const held = pick(world.held, plan.held)
    const isNew = ({ leases }: Held): boolean => leases[0].lease.id !== held?.leases[0].lease.id
    if (held !== undefined && [...settling.keys()].every(isNew)) settling.set(held, settlementOf(world, held, plan))
  }
  await both(world, 'the result of a settlement', async ({ deliveries }, which) => {
    const settlements = [...settling].map(([{ leases }, each]) => ({ ...each, lease: leases[which].lease }))
    const { fenced, disabled, failing, recovered, dueInMs } = await deliveries.settle(settlements, FAILING)
    // Real time passes while a store works.
    const dueIn = dueInMs === undefined ? 'never' : `${Math.round(dueInMs / MINUTE)} min`
    return { fenced: byId(fenced), disabled: byId(disabled), failing: byId(failing), recovered: byId(recovered), dueIn }
  })
  for (const [held, { keep }] of settling) {
    // Sometimes keeps a lease that has ended, so that a later step tries to settle with it.
    if (!keep && world.made % 4 !== 0) world.held = world.held.filter((each) => each !== held)
  }
}

/** Decides what a worker did with a lease. */
function settlementOf(world: World, held: Held, plan: Plan): LaneSettlement {
  const [lane] = held.leases
  const { lease, standing, breakerFailures, through } = lane
  const base: LaneSettlement = {
    lease,
    settledThrough: held.settledThrough,
    attempts: [],
    retries: [],
    ended: [],
    subjects: [],
    breakerFailures,
    succeeded: false,
    failedAttempts: 0,
    slow: plan.slow,
    pauseMs: 0,
    disable: undefined,
    keep: false,
  }
  if (!standing.deliverable) return { ...base, disable: standing.disable }
  const [first] = held.left
  if (first?.suspect === true && plan.recordFirst) {
    const { eventId, redacted, backfilled } = first
    const attempts = Math.min(first.attempts + 1, MAX_ATTEMPTS)
    held.settledThrough = through
    const retries = [{ eventId, attempts, delayMs: delayOf(world, plan), suspect: true, redacted, backfilled }]
    return { ...base, settledThrough: through, retries, keep: true }
  }

  const opened = held.left.slice(0, plan.keep ? plan.open : 0)
  const settled = held.left.slice(opened.length, opened.length + plan.count)
  const positions = settled.flatMap(({ position }) => position ?? [])
  // An open delivery that is new becomes a retry when `settledThrough` passes it.
  const isPassed = ({ position = 0 }: LeasedDelivery): boolean => positions.length > 0 && position > held.settledThrough
  const passed = opened.filter(isPassed)
  const open = opened.filter((each) => !(each.waiting && isPassed(each)))
  held.left = [...open, ...held.left.slice(opened.length + plan.count)]
  const attempts: AttemptRecord[] = []
  const retries: RetryRecord[] = []
  for (const [index, each] of [...passed, ...settled].entries()) {
    const { eventId, attempts: before, suspect, waiting, event, backfilled } = each
    const redacted = each.redacted || !standing.personalData
    const ended = event === undefined ? 'expired' : pick(plan.outcomes, index)!
    const planned = index < passed.length ? 'aborted' : ended
    if (waiting || planned === 'aborted') {
      retries.push({
        eventId,
        attempts: before,
        delayMs: waiting ? undefined : ++world.made,
        suspect: !waiting && suspect,
        redacted,
        backfilled,
      })
      continue
    }
    const number = before + 1
    const outcome = planned === 'failed' && number >= MAX_ATTEMPTS ? 'exhausted' : planned
    attempts.push(attemptOf(world, eventId, number, outcome, plan.answers))
    if (outcome === 'failed')
      retries.push({ eventId, attempts: number, delayMs: delayOf(world, plan), suspect: false, redacted, backfilled })
  }
  held.settledThrough =
    held.left.length === 0 ? Math.max(through, held.settledThrough) : Math.max(held.settledThrough, ...positions)
  return {
    ...base,
    settledThrough: held.settledThrough,
    backfill: held.left.some(({ backfilled }) => backfilled) ? undefined : lane.backfill,
    attempts,
    retries,
    ended: attempts.filter(({ outcome }) => outcome !== 'failed').map(({ eventId }) => eventId),
    subjects: [...new Set(settled.flatMap(({ subject }) => subject ?? []))],
    breakerFailures: plan.breakerFailures,
    succeeded: attempts.some(({ outcome }) => outcome === 'delivered'),
    failedAttempts: attempts.filter(({ outcome }) => outcome !== 'delivered' && outcome !== 'expired').length,
    pauseMs: waitOf(plan.pause),
    postponeMs: plan.pause === 1 ? waitOf(1) : 0,
    disable: attempts.some(({ outcome }) => outcome === 'gone') ? 'gone' : undefined,
    keep: plan.keep && held.left.length > 0,
  }
}

/** No two retries become due at the same time, because the order among them is not promised. */
function delayOf(world: World, { minutes }: Plan): number {
  return waitOf(minutes) + ++world.made
}

function attemptOf(
  world: World,
  eventId: string,
  number: number,
  outcome: AttemptRecord['outcome'],
  answers: boolean,
): AttemptRecord {
  const id = idFromTime('att', world.time, ++world.made)
  const response = answers ? `response to ${eventId}` : undefined
  const status = outcome === 'delivered' ? 200 : outcome === 'gone' ? 410 : 500
  return { id, eventId, number, outcome, status, reason: undefined, durationMs: 1, response }
}
