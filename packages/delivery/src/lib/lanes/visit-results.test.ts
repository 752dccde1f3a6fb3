import { setImmediate as turn } from 'node:timers/promises'
import type { LaneSettlement, LeasedDelivery } from '@callboard/core/store'
import { expect, it } from 'vitest'
import type { AttemptResult } from './attempt.ts'
import { type HeldLane, OPEN, type Result, settlementOf } from './settlement-of.ts'
import { createVisitResults, type VisitResults } from './visit-results.ts'

const RULES = { schedule: [1_000], slowAfterMs: 2_000, now: () => 0 }
const OK: AttemptResult = { kind: 'response', status: 200, body: '', truncated: false, durationMs: 5 }
const FAILED: AttemptResult = { ...OK, status: 500 }

/** A visit with requests for three new deliveries, at the positions 8 to 10. */
function visit({ lastRecorded = 0 } = {}): {
  answer(index: number, result?: AttemptResult): void
  results: VisitResults
  /** Resolves with the next part, whose write resolves with `written`. */
  part(written?: Promise<boolean>): Promise<LaneSettlement>
  parts: LaneSettlement[]
} {
  const deliveries = ['evt_1', 'evt_2', 'evt_3'].map(
    (eventId, index): LeasedDelivery => ({
      eventId,
      position: 8 + index,
      attempts: 0,
      suspect: false,
      redacted: false,
      subject: undefined,
      waiting: false,
      event: undefined,
      trace: undefined,
    }),
  )
  const lane: HeldLane = {
    lease: { accountId: 'acc', mode: 'live', id: 'sub_1', epoch: 3 },
    targetUrl: 'https://example.com/',
    apiVersion: '2026-10-01',
    secrets: [],
    standing: { deliverable: true, disable: undefined, personalData: true },
    settledThrough: 7,
    through: 10,
    breakerFailures: 1,
    deliveries,
    askedAt: 0,
    slow: false,
  }
  const parts: LaneSettlement[] = []
  const waiting: ((settlement: LaneSettlement) => Promise<boolean>)[] = []
  const settler = {
    settle(settlement: LaneSettlement) {
      parts.push(settlement)
      return waiting.shift()?.(settlement) ?? Promise.resolve(true)
    },
    lastRecorded: () => lastRecorded,
  }
  const sent = deliveries.map((delivery): Result => ({ delivery, personalData: false, result: OPEN }))
  const results = createVisitResults(lane, sent, { settler, rules: RULES })
  return {
    answer: (index, result = OK) => results.add({ ...sent[index]!, result }),
    results,
    part: (written = Promise.resolve(true)) =>
      new Promise((resolve) =>
        waiting.push((settlement) => {
          resolve(settlement)
          return written
        }),
      ),
    parts,
  }
}

async function lastOf({ results }: { readonly results: VisitResults }): Promise<LaneSettlement | undefined> {
  const unsettled = await results.unsettled()
  return unsettled && settlementOf(unsettled.lane, unsettled.results, RULES, unsettled.all)
}

it('settles a delivery that was answered while others are open, and makes those before it due if the worker dies', async () => {
  const visited = visit()
  const part = visited.part()
  visited.answer(1)
  expect(await part).toMatchObject({
    keep: true,
    settledThrough: 9,
    attempts: [{ eventId: 'evt_2', outcome: 'delivered' }],
    ended: ['evt_2'],
    retries: [{ eventId: 'evt_1', attempts: 0, delayMs: 0, suspect: false, redacted: true }],
  })
  visited.answer(0)
  visited.answer(2, FAILED)
  expect(await lastOf(visited)).toMatchObject({
    keep: false,
    settledThrough: 10,
    attempts: [
      { eventId: 'evt_1', outcome: 'delivered' },
      { eventId: 'evt_3', outcome: 'failed' },
    ],
    ended: ['evt_1'],
    retries: [{ eventId: 'evt_3', attempts: 1, delayMs: expect.any(Number) }],
  })
})

it('judges the target at the end, by all answers of the visit', async () => {
  const visited = visit()
  const unchanged = { breakerFailures: 1, succeeded: false, failedAttempts: 0, slow: false, disable: undefined }
  for (const [index, result] of [FAILED, { ...FAILED, status: 410 }].entries()) {
    const part = visited.part()
    visited.answer(index, result)
    expect(await part).toMatchObject({ ...unchanged, keep: true })
  }
  visited.answer(2, { ...FAILED, durationMs: 3_000 })
  const judged = { breakerFailures: 4, succeeded: false, failedAttempts: 3, slow: true, disable: 'gone' }
  expect(await lastOf(visited)).toMatchObject({ ...judged, attempts: [{ eventId: 'evt_3' }] })
})

it('settles a visit once if its answers come together', async () => {
  const visited = visit()
  for (const index of [0, 1, 2]) visited.answer(index)
  expect((await lastOf(visited))?.attempts).toHaveLength(3)
  expect(visited.parts).toEqual([])
})

it('waits longer before it settles a part while much is settled at once', async () => {
  const [busy, quiet] = [visit({ lastRecorded: 64 }), visit({ lastRecorded: 63 })]
  const part = quiet.part()
  busy.answer(0)
  quiet.answer(0)
  await part
  expect(busy.parts).toEqual([])
  await busy.part()
  expect(busy.parts).toMatchObject([{ attempts: [{ eventId: 'evt_1' }], keep: true }])
})

it('waits for the part that is being written, and settles the rest after it', async () => {
  const visited = visit()
  let end = (_written: boolean): void => undefined
  const part = visited.part(
    new Promise<boolean>((resolve) => {
      end = resolve
    }),
  )
  visited.answer(0)
  await part
  visited.answer(1)
  visited.answer(2)
  let isOver = false
  const last = lastOf(visited).finally(() => {
    isOver = true
  })
  await turn()
  expect(isOver).toBe(false)
  end(true)
  expect((await last)?.attempts).toMatchObject([{ eventId: 'evt_2' }, { eventId: 'evt_3' }])
  expect(visited.parts).toHaveLength(1)
})

it('settles nothing after a part that could not be written, because the lease has ended', async () => {
  const visited = visit()
  const part = visited.part(Promise.resolve(false))
  visited.answer(0)
  await part
  visited.answer(1)
  visited.answer(2)
  expect(await lastOf(visited)).toBeUndefined()
})
