import { FAILING_RULE, type LaneSettlement, type LeasedDelivery, laneActs } from '@callboard/core/store'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { AttemptResult } from './attempt.ts'
import { type HeldLane, isAnswered, OPEN, partOf, type Result, settlementOf } from './settlement-of.ts'

/*
 * A visit that is settled in parts comes to the same as one that is settled as a whole, whatever its deliveries are, and
 * in whatever order their answers come:
 * 1. The lane and its retries are the same.
 * 2. Each attempt is recorded once, and each delivery ends in the same way.
 * 3. The subscription is disabled, or reported as failing or recovered, for the same reason.
 * After each part:
 * 4. Every delivery that was answered has ended or is a retry, and every other one is still to come: it is among the
 *    retries, after the lane's `settledThrough`, or after the place of its backfill.
 */

type Lane = Parameters<typeof laneActs.settled>[0]
type Retry = Parameters<typeof laneActs.settled>[1] extends ReadonlyMap<string, infer One> ? One : never

const NOW = 1_000_000
const RULES = { schedule: [1_000, 2_000], slowAfterMs: 2_000, now: () => NOW }

const response = (status: number): AttemptResult => ({ ...OK, status })
const OK = { kind: 'response', status: 200, body: '', truncated: false, durationMs: 5 } as const
const RESULTS: readonly AttemptResult[] = [
  OK,
  OK,
  response(500),
  response(410),
  { kind: 'failed', reason: 'timeout', durationMs: 3_000 },
  { kind: 'failed', reason: 'aborted', durationMs: 3 },
  { kind: 'unprepared', durationMs: 0 },
  { kind: 'expired', durationMs: 0 },
  { kind: 'postponed', obstacle: { cause: 'resources', name: '' }, wasSent: false, durationMs: 0 },
  { kind: 'postponed', obstacle: { cause: 'resources', name: '' }, wasSent: true, durationMs: 0 },
]

const planned = fc.record({
  subject: fc.constantFrom(undefined, 's1', 's2', 's3'),
  kind: fc.constantFrom('retry' as const, 'new', 'new', 'backfilled'),
  attempts: fc.nat(2),
  result: fc.constantFrom(...RESULTS),
  /** When the answer comes. */
  at: fc.nat(100),
  /** Whether a part is settled after this answer. */
  isPart: fc.boolean(),
})
const KINDS = ['retry', 'new', 'backfilled'] as const
type Planned = typeof planned extends fc.Arbitrary<infer One> ? One : never

const visit = fc.record({
  plans: fc.array(planned, { minLength: 1, maxLength: 8 }),
  breakerFailures: fc.nat(6),
  failedAttempts: fc.nat(200),
  ordering: fc.constantFrom('subject' as const, 'none' as const),
})

/** The lane, its lease, and for each request its plan and result. */
function arrange({
  plans,
  breakerFailures,
  failedAttempts,
  ordering,
}: typeof visit extends fc.Arbitrary<infer One> ? One : never) {
  const retries = new Map<string, Retry>()
  const met = new Set<string>()
  const sorted = KINDS.flatMap((kind) => plans.filter((plan) => plan.kind === kind))
  let head = 0
  const places = new Map<string, { subject: string; position: number }>()
  const requests: { plan: Planned; sent: Result }[] = []
  const deliveries = sorted.map((plan, index): LeasedDelivery => {
    const eventId = `evt_${index}`
    const subject = plan.subject ?? `own_${index}`
    const isBackfilled = plan.kind === 'backfilled'
    const waiting = ordering === 'subject' && met.has(subject) && !isBackfilled
    const isRetry = plan.kind === 'retry' && !waiting
    met.add(subject)
    const place = { subject, position: isRetry || isBackfilled ? -100 + index : ++head }
    places.set(eventId, place)
    const attempts = isRetry ? plan.attempts : 0
    const stored = { eventId, attempts, dueAt: 0, suspect: false, redacted: false, askedAt: undefined }
    if (isRetry) retries.set(eventId, { ...stored, resentEpoch: undefined, manual: false, ...place })
    const delivery: LeasedDelivery = {
      eventId,
      attempts,
      suspect: false,
      redacted: false,
      waiting,
      position: isRetry || isBackfilled ? undefined : place.position,
      ...(isBackfilled && { backfilled: true }),
      subject: ordering === 'subject' && !isBackfilled ? subject : undefined,
      event: undefined,
      trace: undefined,
    }
    if (!waiting) requests.push({ plan, sent: { delivery, personalData: true, result: OPEN } })
    return delivery
  })
  const lane: Lane = {
    state: 'leased',
    settledThrough: 0,
    head,
    began: 0,
    backfill: { state: 'running', since: 0, startedAt: 0, from: -200, reached: -200, to: 0 },
    wakeAt: NOW + 1_000,
    leasedUntil: undefined,
    epoch: 3,
    claims: 1,
    nudged: false,
    skipped: undefined,
    breakerFailures,
    slow: false,
    failedAttempts,
    failingSince: failedAttempts === 0 ? undefined : 0,
    reported: failedAttempts > 100,
  }
  const held: HeldLane = {
    lease: { accountId: 'acc', mode: 'live', id: 'sub_1', epoch: 3 },
    targetUrl: 'https://example.com/',
    apiVersion: '2026-10-01',
    secrets: [],
    standing: { deliverable: true, disable: undefined, personalData: true },
    settledThrough: 0,
    through: head,
    backfill: { after: -200, through: -50 },
    breakerFailures,
    deliveries,
    askedAt: 0,
    slow: false,
  }
  return { lane, held, retries, requests, ordering, eventOf: (eventId: string) => places.get(eventId) }
}

/** Settles the lane, one settlement after another. */
function settling({ lane: first, held, retries: before, ordering, eventOf }: ReturnType<typeof arrange>) {
  let lane = first
  const isBackfilled = (id: string): boolean => held.deliveries.some((each) => each.eventId === id && each.backfilled)
  const retries = new Map(before)
  const attempts: string[] = []
  const ended = new Map<string, string>()
  let decided: object = {}
  let isPostponed = false
  return {
    settle(settlement: LaneSettlement): void {
      const change = laneActs.settled(lane, retries, {
        settlement,
        failing: FAILING_RULE,
        ordering,
        eventOf,
        endedAs: (eventId) => (ended.get(eventId) === 'disabled' ? 'disabled' : undefined),
        now: NOW,
      })
      lane = change.lane
      for (const id of change.closed) retries.delete(id)
      for (const retry of change.written) retries.set(retry.eventId, retry)
      for (const { eventId, state } of change.ended) ended.set(eventId, state)
      attempts.push(...settlement.attempts.map(({ eventId, number, outcome }) => `${eventId} ${number} ${outcome}`))
      for (const { eventId, outcome } of settlement.attempts) if (outcome === 'delivered') ended.set(eventId, outcome)
      isPostponed = settlement.postponeMs !== 0
      decided = { disable: change.disable, report: change.report }
    },
    isToCome: (eventId: string): boolean =>
      retries.has(eventId) ||
      (eventOf(eventId)?.position ?? 0) > lane.settledThrough ||
      (isBackfilled(eventId) && lane.backfill?.reached === -200),
    hasEnded: (eventId: string): boolean => ended.has(eventId),
    state: () => ({
      // If this worker leaves the lane to others for a while, a retry that a part made due waits as well.
      lane: isPostponed ? { ...lane, wakeAt: undefined } : lane,
      // When the retries of a disabled lane were due does not matter, because enabling it ends them.
      retries: sortedOf(retries).map(([, { dueAt, ...retry }]) =>
        lane.state === 'disabled' ? retry : { ...retry, dueAt },
      ),
      ended: sortedOf(ended),
      attempts: attempts.sort(),
      decided,
    }),
  }
}

const sortedOf = <Value>(map: ReadonlyMap<string, Value>): (readonly [string, Value])[] =>
  [...map].sort(([a], [b]) => (a < b ? -1 : 1))

describe('a visit', () => {
  it('comes to the same in parts as in a whole', () => {
    // The delays of retries and of the breaker have jitter.
    const random = vi.spyOn(Math, 'random').mockReturnValue(0.5)
    onTestFinished(() => random.mockRestore())
    fc.assert(
      fc.property(visit, (planned) => {
        const arranged = arrange(planned)
        const { held, requests } = arranged
        const all = requests.map(({ plan: { result }, sent }): Result => ({ ...sent, result }))
        const whole = settling(arranged)
        whole.settle(settlementOf(held, all, RULES))

        const parts = settling(arranged)
        const results = requests.map(({ sent }) => sent)
        let rest = held
        const left = (): Result[] => results.filter(({ delivery }) => rest.deliveries.includes(delivery))
        for (const { plan, sent } of requests.toSorted((a, b) => a.plan.at - b.plan.at)) {
          results[requests.findIndex((each) => each.sent === sent)] = { ...sent, result: plan.result }
          if (!plan.isPart || !left().some(({ result }) => isAnswered(result))) continue
          const part = partOf(rest, left(), RULES)
          rest = part.rest
          parts.settle(part.settlement)
          for (const { delivery, result } of results) {
            const { eventId } = delivery
            if (!isAnswered(result)) expect(parts.isToCome(eventId), eventId).toBe(true)
            else expect(parts.hasEnded(eventId) || parts.isToCome(eventId), eventId).toBe(true)
          }
        }
        parts.settle(settlementOf(rest, left(), RULES, results))
        expect(parts.state()).toEqual(whole.state())
      }),
      { numRuns: 2_000 },
    )
  })
})
