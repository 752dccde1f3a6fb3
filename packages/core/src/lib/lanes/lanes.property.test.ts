import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, it } from 'vitest'
import type { AttemptOutcome } from '../ports/delivery-record.ts'
import type { LaneSettlement } from '../ports/lane-settlement.ts'
import type { Ordering } from '../ports/subscription-record.ts'
import { backfillCancelled, backfilled } from './backfilled.ts'
import { disabled } from './disabled.ts'
import { enabled } from './enabled.ts'
import { woken } from './freed.ts'
import { isHeldBy, type Lane, newLane, type Retry } from './lane.ts'
import type { LaneChange } from './lane-change.ts'
import { reordered } from './reordered.ts'
import { resent } from './resent.ts'
import { retargeted } from './retargeted.ts'
import { settled } from './settled.ts'
import { skipped } from './skipped.ts'
import { swept } from './swept.ts'
import { takenBack } from './taken-back.ts'

/*
 * What is true of a lane after every list of acts, for random acts, outcomes and times:
 * 1. The epoch and `settledThrough` never fall, and `settledThrough` never passes the feed.
 * 2. Every delivery up to `settledThrough` has ended or is a retry, and not both.
 * 3. A delivery ends once, unless somebody resends it.
 * 4. A disabled lane is not due; any other lane with work has a time at which it is due, and a sweep finds nothing.
 *    Without an order, no retry waits for another.
 * 5. A lease that was settled, taken back or lost can never be settled again.
 * 6. After the lease during which a delivery was resent, the lane is due at once.
 * 7. Up to the place of a backfill, every delivery of its range has ended or is a retry. The place moves forward, except
 *    when the backfill is started or extended, and only while the backfill is running.
 */

type Planned = Exclude<AttemptOutcome, 'expired'> | 'aborted'

type Step =
  | { readonly do: 'publish'; readonly subject: number }
  | { readonly do: 'backfill'; readonly after: number }
  | { readonly do: 'lease' | 'cancel backfill' | 'disable' | 'enable' | 'skip' | 'retarget' | 'reorder' | 'sweep' }
  | {
      readonly do: 'settle'
      readonly lease: number
      readonly outcomes: readonly Planned[]
      readonly keep: boolean
      readonly breakerFailures: number
    }
  | { readonly do: 'take back'; readonly crashed: boolean }
  | { readonly do: 'resend'; readonly event: number; readonly first: boolean }
  | { readonly do: 'wait'; readonly ms: number }

const LEASE_MS = 60
const outcome = fc.constantFrom<Planned>('delivered', 'failed', 'failed', 'exhausted', 'gone', 'aborted')

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('publish' as const), subject: fc.nat(2) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('lease' as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('settle' as const),
      lease: fc.nat(3),
      outcomes: fc.array(outcome, { minLength: 1, maxLength: 4 }),
      keep: fc.boolean(),
      breakerFailures: fc.nat(8),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('take back' as const), crashed: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('resend' as const), event: fc.nat(9), first: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('backfill' as const), after: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel backfill' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(80) }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('disable' as const, 'enable', 'skip', 'retarget', 'reorder', 'sweep') }),
  },
)

interface Lease {
  readonly epoch: number
  readonly settledThrough: number
  left: readonly {
    readonly eventId: string
    readonly position: number | undefined
    readonly attempts: number
    readonly waiting: boolean
    readonly subject: string
    readonly backfilled?: boolean
  }[]
  readonly part: LaneSettlement['backfill']
  /** What a backfill sends in this lease. */
  readonly sentAgain: ReadonlySet<string>
  over: boolean
}

function createWorld() {
  /** The first three are older than the lane. */
  const events = Array.from({ length: 3 }, (_, index) => ({ id: `e${index + 1}`, subject: `s${index}` }))
  const { length: start } = events
  const leases: Lease[] = []
  const retries = new Map<string, Retry>()
  const ended = new Map<string, string>()
  let lane: Lane = newLane(start)
  let ordering: Ordering = 'subject'
  let now = 1_000

  const put = (next: Lane): void => {
    assert.ok(next.epoch >= lane.epoch, 'the epoch rises')
    assert.ok(
      next.settledThrough >= lane.settledThrough && next.settledThrough <= events.length,
      'settledThrough moves forward, within the feed',
    )
    const { backfill: before } = lane
    const { backfill } = next
    if (backfill !== undefined && before !== undefined && backfill.startedAt === before.startedAt)
      assert.ok(
        backfill.reached >= before.reached && (before.state === 'running' || backfill.reached === before.reached),
        'the backfill moves forward while it runs',
      )
    lane = next
  }
  /** Whether a backfill is sending the event, which has ended before. */
  const isSentAgain = (id: string): boolean =>
    leases.at(-1)?.sentAgain.has(id) === true && ended.get(id) !== 'delivered'
  const end = (id: string, state: string): void => {
    const before = ended.get(id)
    // What was in flight when the pending deliveries ended still counts.
    assert.ok(
      before === undefined || before === 'skipped' || before === 'disabled' || before === state || isSentAgain(id),
      `${id} ends once`,
    )
    ended.set(id, state)
  }
  const apply = (change: LaneChange): void => {
    for (const id of change.closed) retries.delete(id)
    for (const retry of change.written) {
      if (isSentAgain(retry.eventId)) ended.delete(retry.eventId)
      assert.ok(!ended.has(retry.eventId), `${retry.eventId} has ended`)
      retries.set(retry.eventId, retry)
    }
    for (const { eventId, state } of change.ended) end(eventId, state)
    if (change.endedRange !== undefined)
      for (const { id } of events.slice(change.endedRange.after, change.endedRange.through))
        end(id, change.endedRange.state)
    put(change.lane)
  }

  let startedAfter = 0
  const backfillAhead = () => {
    const { backfill } = lane
    if (backfill?.state !== 'running') return { deliveries: [], part: undefined }
    const found = events
      .slice(Math.max(backfill.reached, 0), backfill.to)
      .filter(({ id }) => !retries.has(id) && ended.get(id) !== 'delivered')
      .slice(0, 2)
    const last = found.length === 2 ? found.at(-1) : undefined
    const deliveries = found.map(({ id: eventId, subject }) => ({
      eventId,
      position: undefined,
      attempts: 0,
      waiting: false,
      subject,
      backfilled: true,
    }))
    const through = last === undefined ? backfill.to : events.indexOf(last) + 1
    return { deliveries, part: { after: backfill.reached, through } }
  }
  const assertBegins = (): void => assert.equal(lane.began, events.length, 'the lane begins at the end of the feed')
  const skip = () => ({ end: events.length, unsequenced: [], now })
  const acts: { [Kind in Step['do']]: (step: Extract<Step, { do: Kind }>) => void } = {
    publish({ subject }) {
      events.push({ id: `e${events.length + 1}`, subject: `s${subject}` })
      if (lane.state !== 'disabled') put(woken({ ...lane, head: events.length }, now))
    },
    lease() {
      if (lane.wakeAt === undefined || lane.wakeAt > now) return
      for (const lease of leases) lease.over = true
      put({ ...lane, state: 'leased', epoch: lane.epoch + 1, claims: lane.claims + 1, wakeAt: now + LEASE_MS })
      const due = [...retries.values()].filter(({ dueAt }) => dueAt !== undefined && dueAt <= now).slice(0, 2)
      const met = new Set<string>()
      const isWaiting = (subject: string): boolean =>
        ordering === 'subject' &&
        (met.has(subject) || [...retries.values()].some((retry) => !retry.manual && retry.subject === subject))
      const fresh = events.slice(lane.settledThrough, lane.settledThrough + 3).map(({ id, subject }, index) => {
        const waiting = isWaiting(subject)
        met.add(subject)
        return { eventId: id, position: lane.settledThrough + index + 1, attempts: 0, waiting, subject }
      })
      const again = due.map(({ eventId, attempts, subject = '' }) => ({
        eventId,
        position: undefined,
        attempts,
        waiting: false,
        subject,
      }))
      const older = backfillAhead()
      leases.push({
        epoch: lane.epoch,
        settledThrough: lane.settledThrough,
        left: [...again, ...fresh, ...older.deliveries],
        part: older.part,
        sentAgain: new Set(older.deliveries.map(({ eventId }) => eventId)),
        over: false,
      })
    },
    settle({ lease: index, outcomes, keep, breakerFailures }) {
      const lease = leases.at(-1 - index)
      if (lease === undefined) return
      const isHeld = isHeldBy(lane, lease.epoch)
      assert.ok(!(isHeld && lease.over), 'a lease that is over cannot be settled')
      if (!isHeld) return
      const settlement = settlementOf(lease, outcomes, keep, breakerFailures)
      lease.left = []
      lease.over = !keep
      for (const { eventId, outcome } of settlement.attempts)
        if (outcome === 'delivered') {
          const wasSkipped = ended.get(eventId)
          assert.ok(
            wasSkipped === undefined || wasSkipped === 'skipped' || wasSkipped === 'disabled' || isSentAgain(eventId),
            `${eventId} ends once`,
          )
          ended.set(eventId, 'delivered')
        }
      const failing = { attempts: 6, durationMs: 100, report: { attempts: 3, afterMs: 50 } }
      const eventOf = (id: string) => {
        const at = events.findIndex((event) => event.id === id)
        return { subject: events[at]?.subject, position: at + 1 }
      }
      const endedAs = (id: string) => {
        const state = ended.get(id)
        return state === 'skipped' || state === 'disabled' ? state : undefined
      }
      apply(settled(lane, retries, { settlement, failing, ordering, eventOf, endedAs, now }))
      const asked = [...retries.values()].filter(({ resentEpoch }) => resentEpoch === lease.epoch)
      for (const { dueAt = Infinity } of asked) assert.ok(dueAt <= now, 'a delivery that was resent is due at once')
      if (asked.length > 0 && (lane.state === 'idle' || lane.state === 'paused'))
        assert.ok((lane.wakeAt ?? Infinity) <= now, 'and so is its lane')
    },
    backfill({ after }) {
      if (lane.state === 'disabled') return
      const to = lane.began
      now++
      const act = { since: after, after: Math.min(after, to), to, unsequenced: [], now }
      const change = backfilled(lane, retries, act)
      if (change !== undefined) {
        startedAfter = act.after
        apply(change)
      }
    },
    'cancel backfill': () => put(backfillCancelled(lane)),
    disable: () => put(disabled(lane)),
    enable() {
      if (lane.state !== 'disabled') return
      if ((lane.leasedUntil ?? 0) <= now) for (const lease of leases) lease.over = true
      apply(enabled(lane, retries, skip()))
      assertBegins()
    },
    skip() {
      if (lane.state === 'disabled') return
      apply(skipped(lane, retries, { ...skip(), as: 'skipped' }))
      assertBegins()
    },
    retarget() {
      for (const lease of leases) lease.over = true
      apply(retargeted(lane, retries, now))
    },
    reorder() {
      ordering = ordering === 'none' ? 'subject' : 'none'
      apply(reordered(lane, retries, ordering, now))
    },
    resend({ event, first }) {
      const found = events[event]
      if (found === undefined || lane.state === 'disabled') return
      const { id: eventId, subject } = found
      const isPending = event + 1 > lane.settledThrough && !retries.has(eventId)
      const { outcome, ...change } = resent(lane, retries, {
        eventId,
        subject,
        position: event + 1,
        isPending,
        first,
        now,
      })
      if (outcome === 'scheduled') ended.delete(eventId)
      apply(change)
    },
    'take back'({ crashed }) {
      if (lane.state !== 'leased' && lane.leasedUntil === undefined) return
      for (const lease of leases) lease.over = true
      put(takenBack(lane, { crashed, now }))
    },
    sweep: () => apply(swept(lane, retries, ordering, now)),
    wait({ ms }) {
      now += ms
    },
  }

  return {
    take(step: Step) {
      ;(acts[step.do] as (step: Step) => void)(step)
    },
    check() {
      for (const [index, { id }] of events.entries()) {
        const isOlder = index < start && !retries.has(id) && !ended.has(id)
        const { backfill } = lane
        if (
          backfill !== undefined &&
          backfill.state !== 'cancelled' &&
          index >= startedAfter &&
          index < backfill.reached
        )
          assert.ok(!isOlder, `the backfill has sent ${id}`)
        if (isOlder) continue
        if (index < lane.settledThrough)
          assert.notEqual(retries.has(id), ended.has(id), `${id} has ended or is a retry`)
        else assert.ok(!ended.has(id), `${id} is pending`)
      }
      if (lane.state === 'disabled') return assert.equal(lane.wakeAt, undefined, 'a disabled lane is not due')
      const isWaiting = [...retries.values()].some(({ dueAt }) => dueAt === undefined)
      assert.ok(!isWaiting || ordering === 'subject', 'without an order, no retry waits')
      const hasWork =
        lane.backfill?.state === 'running' ||
        lane.head > lane.settledThrough ||
        [...retries.values()].some(({ dueAt }) => dueAt !== undefined)
      if (hasWork) assert.notEqual(lane.wakeAt, undefined, 'a lane with work has a time at which it is due')
      assert.deepEqual(swept(lane, retries, ordering, now).lane, lane, 'a sweep finds nothing')
    },
  }
}

/** What a worker reports of what it did with a lease. */
function settlementOf(
  { epoch, settledThrough, left, part }: Lease,
  outcomes: readonly Planned[],
  keep: boolean,
  breakerFailures: number,
): LaneSettlement {
  const planned = left.map((delivery, index) => ({
    ...delivery,
    outcome: delivery.waiting ? ('waiting' as const) : outcomes[index % outcomes.length],
  }))
  const attempts = planned.flatMap(({ eventId, attempts, outcome }) =>
    outcome === undefined || outcome === 'waiting' || outcome === 'aborted'
      ? []
      : {
          id: '',
          eventId,
          number: attempts + 1,
          outcome,
          status: undefined,
          reason: undefined,
          durationMs: 1,
          response: undefined,
        },
  )
  const retries = planned.flatMap(({ eventId, attempts, outcome, backfilled }) => {
    const record = { eventId, suspect: false, redacted: false, backfilled }
    if (outcome === 'failed') return [{ ...record, attempts: attempts + 1, delayMs: 40 }]
    return outcome === 'waiting' || outcome === 'aborted'
      ? [{ ...record, attempts, delayMs: outcome === 'waiting' ? undefined : 0 }]
      : []
  })
  const failedAttempts = attempts.filter(({ outcome }) => outcome !== 'delivered').length
  return {
    lease: { accountId: 'a', mode: 'test', id: 'sub', epoch },
    settledThrough: Math.max(settledThrough, ...planned.flatMap(({ position }) => position ?? [])),
    backfill: part,
    attempts,
    retries,
    ended: attempts.filter(({ outcome }) => outcome !== 'failed').map(({ eventId }) => eventId),
    subjects: [...new Set(left.map(({ subject }) => subject))],
    breakerFailures,
    succeeded: attempts.some(({ outcome }) => outcome === 'delivered'),
    failedAttempts,
    slow: false,
    pauseMs: breakerFailures >= 5 ? 30 : 0,
    disable: attempts.some(({ outcome }) => outcome === 'gone') ? 'gone' : undefined,
    keep,
  }
}

describe('a lane', () => {
  it('keeps its invariants in 10,000 random lists of acts', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
        const world = createWorld()
        for (const step of steps) {
          world.take(step)
          world.check()
        }
      }),
      { numRuns: 10_000 },
    )
  })
})
