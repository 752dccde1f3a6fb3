import type { LaneSettlement, LaneStanding, LeasedDelivery } from '@callboard/core/store'
import { describe, expect, it } from 'vitest'
import type { AttemptRequest, AttemptResult } from './attempt.ts'
import { createLaneVisit } from './lane-visit.ts'
import type { Obstacle } from './postponed-lanes.ts'
import type { HeldLane } from './settlement-of.ts'

const DEADLINE_MS = 10_000
const LEASE_MS = 20_000
const DELIVERABLE: LaneStanding = { deliverable: true, disable: undefined, personalData: true }
const DELIVERY: LeasedDelivery = {
  eventId: 'evt_1',
  position: 8,
  attempts: 0,
  suspect: false,
  redacted: false,
  subject: undefined,
  waiting: false,
  event: { id: 'evt_1', type: 'order.paid', body: '{}', patch: null, fingerprint: 'f1' },
  trace: undefined,
}
const VERSION: Obstacle = { cause: 'version', name: '2027-01-01' }
const RESOURCES: AttemptResult = {
  kind: 'postponed',
  obstacle: { cause: 'resources', name: '' },
  wasSent: false,
  durationMs: 0,
}
const SUSPECT = { ...DELIVERY, suspect: true }
const LANE: HeldLane = {
  lease: { accountId: 'acc', mode: 'live', id: 'sub_1', epoch: 3 },
  targetUrl: 'https://example.com/',
  apiVersion: '2026-10-01',
  secrets: [],
  standing: DELIVERABLE,
  settledThrough: 7,
  through: 8,
  breakerFailures: 6,
  deliveries: [DELIVERY],
  askedAt: 0,
  slow: true,
}

/** Visits a lane `now` milliseconds after its lease was requested, and returns everything that happened. */
async function visit(
  lane: HeldLane,
  {
    now = 0,
    check = async () => [DELIVERABLE],
    written = true,
    stopping = false,
    status = 200,
    unknown = [],
    results = {},
  }: {
    now?: number
    check?: (pass: (ms: number) => void) => Promise<LaneStanding[]>
    written?: boolean
    stopping?: boolean
    status?: number
    /** The events whose versions this worker lacks. */
    unknown?: string[]
    /** The results of attempts by event; a response of `status` by default. */
    results?: Record<string, AttemptResult>
  } = {},
): Promise<{
  sent: AttemptRequest[]
  settled: LaneSettlement[]
  postponed: Obstacle[]
  errors: unknown[]
  checks: number
}> {
  const sent: AttemptRequest[] = []
  const settled: LaneSettlement[] = []
  const postponed: Obstacle[] = []
  const errors: unknown[] = []
  let time = now
  let checks = 0
  const run = createLaneVisit({
    store: {
      checkLeases() {
        checks++
        return check((ms) => {
          time += ms
        })
      },
    },
    attempts: {
      obstacle: (_, { eventId }) => (unknown.includes(eventId) ? VERSION : undefined),
      async makeAttempt(request) {
        sent.push(request)
        if (results[request.delivery.eventId] !== undefined) return results[request.delivery.eventId]!
        return { kind: 'response', status, body: '', truncated: false, durationMs: 5 }
      },
    },
    postponedLanes: { postpone: (_, obstacle) => postponed.push(obstacle) },
    settler: {
      async settle(settlement) {
        settled.push(settlement)
        return written
      },
      lastRecorded: () => 0,
    },
    rules: { schedule: [1_000], slowAfterMs: 2_000, now: () => 0 },
    deadlineMs: DEADLINE_MS,
    leaseMs: LEASE_MS,
    stopping: stopping ? AbortSignal.abort() : new AbortController().signal,
    aborting: new AbortController().signal,
    elapsed: () => time,
    onError: (error) => errors.push(error),
  })
  await run(lane)
  return { sent, settled, postponed, errors, checks }
}

const GIVEN_BACK = {
  settledThrough: 7,
  attempts: [],
  retries: [],
  breakerFailures: 6,
  failedAttempts: 0,
  slow: true,
  keep: false,
}

describe('a visit to a lane', () => {
  it('sends deliveries at once if they were leased less than a second ago', async () => {
    const { sent, settled, checks } = await visit(LANE, { now: 700 })
    expect(checks).toBe(0)
    expect(sent).toHaveLength(1)
    expect(settled).toMatchObject([
      { settledThrough: 8, attempts: [{ outcome: 'delivered' }], breakerFailures: 0, slow: false },
    ])
  })

  it('checks the lane’s standing again once the lease is a second old', async () => {
    const { sent, checks } = await visit(LANE, { now: 1_000 })
    expect(checks).toBe(1)
    expect(sent).toHaveLength(1)
  })

  it('asks three times for a standing that arrives too late, then releases the lane without sending', async () => {
    const late = async (pass: (ms: number) => void) => {
      pass(1_500)
      return [DELIVERABLE]
    }
    const { sent, settled, checks } = await visit(LANE, { now: 1_000, check: late })
    expect(checks).toBe(3)
    expect(sent).toEqual([])
    expect(settled).toMatchObject([GIVEN_BACK])
  })

  it('starts no request that could outlive the lease', async () => {
    expect((await visit(LANE, { now: LEASE_MS - DEADLINE_MS })).sent).toHaveLength(1)
    const { sent, settled } = await visit(LANE, { now: LEASE_MS - DEADLINE_MS + 1 })
    expect(sent).toEqual([])
    expect(settled).toMatchObject([GIVEN_BACK])
  })

  it('measures the lease from the time of the request for it, not from the time of the answer', async () => {
    const { sent } = await visit({ ...LANE, askedAt: 500 }, { now: 700 })
    expect(sent.map(({ leaseLeftMs }) => leaseLeftMs())).toEqual([LEASE_MS - 200])
  })

  it('sends no personal data if the lane was leased without permission for it', async () => {
    const lane = { ...LANE, standing: { ...DELIVERABLE, personalData: false } }
    expect((await visit(lane, { now: 1_000 })).sent).toMatchObject([{ personalData: false }])
  })

  it.each([
    ['keeps personal data for the next attempt of a delivery that was sent with it', false],
    ['never adds personal data to a delivery that was first sent without it', true],
  ])('%s', async (_promise, redacted) => {
    const { sent, settled } = await visit({ ...LANE, deliveries: [{ ...DELIVERY, redacted }] }, { status: 503 })
    expect(sent).toMatchObject([{ personalData: !redacted }])
    expect(settled).toMatchObject([{ retries: [{ eventId: 'evt_1', attempts: 1, redacted }] }])
  })

  it('disables a subscription whose key is no longer valid, and sends nothing', async () => {
    const lostKey: LaneStanding = { deliverable: false, disable: 'key', personalData: false }
    for (const visited of [
      visit({ ...LANE, standing: lostKey }),
      visit(LANE, { now: 1_000, check: async () => [lostKey] }),
      visit({ ...LANE, deliveries: [SUSPECT] }, { check: async () => [lostKey] }),
    ]) {
      const { sent, settled } = await visited
      expect(sent).toEqual([])
      expect(settled.at(-1)).toMatchObject({ disable: 'key', attempts: [], keep: false })
    }
  })
})

describe('a delivery that may have crashed its worker', () => {
  const lane = { ...LANE, deliveries: [SUSPECT] }

  it('is sent only after its attempt was recorded', async () => {
    const { sent, settled, checks } = await visit(lane)
    expect(checks).toBe(1)
    expect(sent).toHaveLength(1)
    expect(settled).toMatchObject([
      { keep: true, settledThrough: 8, retries: [{ eventId: 'evt_1', attempts: 1, suspect: true }] },
      { keep: false, settledThrough: 8, attempts: [{ number: 1, outcome: 'delivered' }], ended: ['evt_1'] },
    ])
  })

  it('is not sent if its attempt could not be recorded', async () => {
    expect((await visit(lane, { written: false })).sent).toEqual([])
  })

  it('has its recorded attempt reverted if it was not sent', async () => {
    const { sent, settled } = await visit(lane, { stopping: true })
    expect(sent).toEqual([])
    expect(settled.at(-1)).toMatchObject({
      keep: false,
      retries: [{ eventId: 'evt_1', attempts: 0, delayMs: 0, suspect: true }],
    })
  })

  it('is sent for the last attempt of its schedule, and is exhausted only after that', async () => {
    expect((await visit({ ...lane, deliveries: [{ ...SUSPECT, attempts: 1 }] })).sent).toHaveLength(1)
    const { sent, settled } = await visit({ ...lane, deliveries: [{ ...SUSPECT, attempts: 2 }] })
    expect(sent).toEqual([])
    expect(settled).toMatchObject([{ attempts: [{ number: 2, outcome: 'exhausted', reason: 'crashed' }], keep: false }])
  })
})

/** A lane with new deliveries of these events, at the positions 8, 9 and so on, after any retries. */
function laneOf(ids: readonly string[], retries: readonly LeasedDelivery[] = []): HeldLane {
  const fresh = ids.map((eventId, index): LeasedDelivery => ({ ...DELIVERY, eventId, position: 8 + index }))
  return { ...LANE, breakerFailures: 0, slow: false, deliveries: [...retries, ...fresh], through: 7 + ids.length }
}

const UNSENT = {
  attempts: [],
  ended: [],
  failedAttempts: 0,
  breakerFailures: 0,
  slow: false,
  pauseMs: 0,
  disable: undefined,
}
const RETRY: LeasedDelivery = { ...DELIVERY, eventId: 'evt_r', position: undefined, attempts: 3, redacted: true }

describe('a visit to a lane with deliveries that this worker cannot send', () => {
  it('ends before the first new one, delivers what precedes it, and leaves the rest in place', async () => {
    const { sent, settled, postponed } = await visit(laneOf(['evt_1', 'evt_2', 'evt_3']), { unknown: ['evt_2'] })
    expect(sent.map(({ delivery }) => delivery.eventId)).toEqual(['evt_1'])
    expect(settled).toMatchObject([
      { settledThrough: 8, attempts: [{ eventId: 'evt_1', outcome: 'delivered' }], retries: [], postponeMs: 1_000 },
    ])
    expect(postponed).toEqual([VERSION])
  })

  it('sends nothing if the first new one is among them, and changes nothing but the time', async () => {
    const { sent, settled, postponed } = await visit(laneOf(['evt_1', 'evt_2']), { unknown: ['evt_1'] })
    expect(sent).toEqual([])
    expect(settled).toMatchObject([{ ...UNSENT, settledThrough: 7, retries: [], postponeMs: 1_000, keep: false }])
    expect(postponed).toEqual([VERSION])
  })

  it('postpones a retry among them by a second, and delivers everything else', async () => {
    const { sent, settled, postponed } = await visit(laneOf(['evt_1'], [RETRY]), { unknown: ['evt_r'] })
    expect(sent.map(({ delivery }) => delivery.eventId)).toEqual(['evt_1'])
    const retry = { eventId: 'evt_r', attempts: 3, delayMs: 1_000, suspect: false, redacted: true }
    expect(settled).toMatchObject([{ settledThrough: 8, retries: [retry], postponeMs: 0 }])
    expect(postponed).toEqual([])
  })

  it('leaves a lane alone if it has nothing but such a retry', async () => {
    const { settled, postponed } = await visit(laneOf([], [RETRY]), { unknown: ['evt_r'] })
    expect(settled).toMatchObject([{ settledThrough: 7, retries: [{ attempts: 3, delayMs: 1_000 }] }])
    expect(postponed).toEqual([VERSION])
  })

  it('holds a probe without pausing the lane, and counts nothing', async () => {
    const { settled } = await visit({ ...LANE, breakerFailures: 6 }, { unknown: ['evt_1'] })
    expect(settled).toMatchObject([
      { ...UNSENT, breakerFailures: 6, slow: true, settledThrough: 7, retries: [], postponeMs: 1_000 },
    ])
  })

  it('does not record the attempt of a suspect delivery in advance', async () => {
    const { sent, settled } = await visit({ ...laneOf([]), deliveries: [SUSPECT], through: 8 }, { unknown: ['evt_1'] })
    expect(sent).toEqual([])
    expect(settled).toMatchObject([{ settledThrough: 7, retries: [], postponeMs: 1_000 }])
  })

  it('leaves a backfill in place if one of its deliveries is among them, and records the others', async () => {
    const backfill = { after: 2, through: 5 }
    const earlier = ['evt_b', 'evt_c', 'evt_d'].map(
      (eventId): LeasedDelivery => ({ ...DELIVERY, eventId, position: undefined, backfilled: true }),
    )
    const lane = { ...laneOf(['evt_1']), backfill }
    const mixed = { ...lane, deliveries: [...lane.deliveries, ...earlier] }
    const failing: AttemptResult = { kind: 'response', status: 500, body: '', truncated: false, durationMs: 5 }
    const stuck = await visit(mixed, { unknown: ['evt_b'], results: { evt_c: failing } })
    expect(stuck.settled).toMatchObject([
      {
        settledThrough: 8,
        attempts: [{ eventId: 'evt_1' }, { eventId: 'evt_c', outcome: 'failed' }, { eventId: 'evt_d' }],
        retries: [{ eventId: 'evt_c', attempts: 1, backfilled: true }],
        postponeMs: 1_000,
      },
    ])
    expect(stuck.settled[0]?.backfill).toBeUndefined()
    expect(stuck.postponed).toEqual([VERSION])
    const unknown = ['evt_1', ...earlier.map(({ eventId }) => eventId)]
    expect((await visit(mixed, { unknown })).settled).toMatchObject([{ settledThrough: 7, attempts: [], retries: [] }])
    expect((await visit(mixed)).settled).toMatchObject([{ backfill, retries: [], postponeMs: 0 }])
  })

  it('still ends a delivery whose event retention has removed', async () => {
    const lane = { ...laneOf([]), deliveries: [{ ...DELIVERY, event: undefined }], through: 8 }
    const { settled } = await visit(lane, { results: { evt_1: { kind: 'expired', durationMs: 0 } } })
    expect(settled).toMatchObject([
      { settledThrough: 8, attempts: [{ outcome: 'expired' }], ended: ['evt_1'], postponeMs: 0 },
    ])
  })

  it('lets new deliveries keep their place if all later ones failed for a reason of the worker as well', async () => {
    const results = { evt_1: RESOURCES, evt_3: RESOURCES, evt_4: RESOURCES }
    const { settled } = await visit(laneOf(['evt_1', 'evt_2', 'evt_3', 'evt_4']), { results })
    const retry = { eventId: 'evt_1', attempts: 0, delayMs: 1_000, suspect: false, redacted: false }
    expect(settled).toMatchObject([
      {
        settledThrough: 9,
        attempts: [{ eventId: 'evt_2', outcome: 'delivered' }],
        retries: [retry],
        postponeMs: 1_000,
      },
    ])
  })

  it('makes a delivery a retry, without counting, if its request may have been sent', async () => {
    const results = { evt_1: { ...RESOURCES, wasSent: true } }
    const { settled } = await visit(laneOf(['evt_1']), { results })
    expect(settled).toMatchObject([{ ...UNSENT, settledThrough: 8, retries: [{ attempts: 0, delayMs: 1_000 }] }])
  })

  it('takes back the attempt of a suspect delivery that was recorded in advance', async () => {
    const { settled } = await visit(
      { ...laneOf([]), deliveries: [SUSPECT], through: 8 },
      { results: { evt_1: RESOURCES } },
    )
    expect(settled).toMatchObject([
      { settledThrough: 8, retries: [{ attempts: 1, suspect: true }], keep: true },
      { settledThrough: 8, attempts: [], retries: [{ attempts: 0, delayMs: 1_000, suspect: true }], keep: false },
    ])
  })

  it('keeps a waiting delivery after the first of them in place', async () => {
    const lane = laneOf(['evt_1', 'evt_2', 'evt_3'])
    const [first, second, third] = lane.deliveries as [LeasedDelivery, LeasedDelivery, LeasedDelivery]
    const deliveries = [{ ...first, waiting: true }, second, { ...third, waiting: true }]
    const { settled } = await visit({ ...lane, deliveries }, { unknown: ['evt_2'] })
    expect(settled).toMatchObject([
      { settledThrough: 8, retries: [{ eventId: 'evt_1', delayMs: undefined }], postponeMs: 1_000 },
    ])
  })
})

describe('an attempt that could not be prepared', () => {
  it('counts against its delivery, but not against the lane', async () => {
    const { settled } = await visit(LANE, { results: { evt_1: { kind: 'unprepared', durationMs: 0 } } })
    expect(settled).toMatchObject([
      {
        attempts: [{ outcome: 'failed', reason: 'unprepared' }],
        failedAttempts: 0,
        breakerFailures: 6,
        pauseMs: 0,
        slow: true,
      },
    ])
  })
})
