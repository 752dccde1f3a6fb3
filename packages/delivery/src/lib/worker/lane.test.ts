import type { LaneSettlement, LaneStanding, LeasedDelivery } from '@callboard/core/store'
import { describe, expect, it } from 'vitest'
import type { AttemptRequest } from './attempt.ts'
import { createLaneVisit } from './lane.ts'
import type { HeldLane } from './lane-settlement.ts'

const DEADLINE_MS = 10_000
const LEASE_MS = 20_000
const DELIVERABLE: LaneStanding = { deliverable: true, hold: undefined, personalData: true }
const DELIVERY: LeasedDelivery = {
  eventId: 'evt_1',
  position: 8,
  attempts: 0,
  suspect: false,
  redacted: false,
  subject: undefined,
  blocked: false,
  event: { id: 'evt_1', type: 'order.paid', body: '{}', patch: null, fingerprint: 'f1' },
  trace: undefined,
}
const SUSPECT = { ...DELIVERY, suspect: true }
const LANE: HeldLane = {
  lease: { accountId: 'acc', mode: 'live', id: 'sub_1', epoch: 3 },
  targetUrl: 'https://example.com/',
  apiVersion: '2026-10-01',
  secrets: [],
  standing: DELIVERABLE,
  cursor: 7,
  through: 8,
  failures: 6,
  deliveries: [DELIVERY],
  askedAt: 0,
  committed: Promise.resolve(true),
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
    began = [],
  }: {
    now?: number
    check?: (pass: (ms: number) => void) => Promise<LaneStanding[]>
    written?: boolean
    stopping?: boolean
    status?: number
    /** Gets the name of each attempt and settlement as it begins. */
    began?: ('attempt' | 'settle')[]
  } = {},
): Promise<{ sent: AttemptRequest[]; settled: LaneSettlement[]; errors: unknown[]; checks: number }> {
  const sent: AttemptRequest[] = []
  const settled: LaneSettlement[] = []
  const errors: unknown[] = []
  let time = now
  let checks = 0
  const run = createLaneVisit({
    store: {
      check() {
        checks++
        return check((ms) => {
          time += ms
        })
      },
    },
    async attempt(request) {
      began.push('attempt')
      sent.push(request)
      return { kind: 'response', status, body: '', truncated: false, durationMs: 5 }
    },
    settler: {
      async settle(settlement) {
        began.push('settle')
        settled.push(settlement)
        return written
      },
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
  return { sent, settled, errors, checks }
}

const GIVEN_BACK = { cursor: 7, attempts: [], retries: [], failures: 6, failedAttempts: 0, slow: true, keep: false }

describe('a visit to a lane', () => {
  it('sends deliveries at once if they were leased less than a second ago', async () => {
    const { sent, settled, checks } = await visit(LANE, { now: 700 })
    expect(checks).toBe(0)
    expect(sent).toHaveLength(1)
    expect(settled).toMatchObject([{ cursor: 8, attempts: [{ outcome: 'delivered' }], failures: 0, slow: false }])
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

  it('sends a lane before its lease is committed, and settles it afterwards', async () => {
    let commit: (committed: boolean) => void = () => undefined
    const committed = new Promise<boolean>((resolve) => {
      commit = resolve
    })
    const began: ('attempt' | 'settle')[] = []
    const visited = visit({ ...LANE, committed }, { began })
    await new Promise((resolve) => setImmediate(resolve))
    expect(began).toEqual(['attempt'])
    commit(true)
    await visited
    expect(began).toEqual(['attempt', 'settle'])
  })

  it('does not use the lease if it may not have been committed', async () => {
    const lane = { ...LANE, committed: Promise.resolve(false) }
    expect(await visit(lane)).toMatchObject({ sent: [{}], settled: [], checks: 0 })
    expect(await visit(lane, { now: 1_000 })).toMatchObject({ sent: [], settled: [], checks: 0 })
    expect(await visit({ ...lane, deliveries: [SUSPECT] })).toMatchObject({ sent: [], settled: [], checks: 0 })
  })

  it('disables a subscription whose key is no longer valid, and sends nothing', async () => {
    const held: LaneStanding = { deliverable: false, hold: 'key', personalData: false }
    for (const visited of [
      visit({ ...LANE, standing: held }),
      visit(LANE, { now: 1_000, check: async () => [held] }),
      visit({ ...LANE, deliveries: [SUSPECT] }, { check: async () => [held] }),
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
      { keep: true, cursor: 8, retries: [{ eventId: 'evt_1', attempts: 1, suspect: true }] },
      { keep: false, cursor: 8, attempts: [{ number: 1, outcome: 'delivered' }], ended: ['evt_1'] },
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
