import type { DisabledReason } from '@callboard/core'
import type { HeldBackHost, WorkSurvey } from '@callboard/core/store'
import { expect, it } from 'vitest'
import {
  checkAttendance,
  checkDisabled,
  checkLanes,
  checkPostponed,
  checkTurns,
  checkWorkerClocks,
} from './check-work.ts'

const NOTHING_WAITS = { lanes: 0, longestMs: 0 }
const MINUTES_MS = 60_000
const IDLE: WorkSurvey = {
  clock: new Date(90 * MINUTES_MS),
  lapsed: NOTHING_WAITS,
  due: NOTHING_WAITS,
  disabled: [],
  pausedLanes: 0,
  workers: [],
  lost: [],
}
const finding = (...reasons: DisabledReason[]) =>
  checkDisabled({ ...IDLE, disabled: reasons.map((reason) => ({ reason, subscriptions: 2 })) })

/** A worker that holds these hosts back. */
function worker(...heldBack: HeldBackHost[]): WorkSurvey['workers'][number] {
  return {
    name: 'w',
    since: new Date(60 * MINUTES_MS),
    lastAt: new Date(90 * MINUTES_MS - 400),
    report: { waiting: { lanes: 5, accounts: 2 }, heldBack },
  }
}

/** A host that three lanes are waiting for. */
function host(name: string, reason: HeldBackHost['reason'] = 'full'): HeldBackHost {
  return { host: name, limit: 4, reason, lanes: 3 }
}

it('counts subscriptions that a person disabled, without a warning', () => {
  expect(finding('account', 'platform')).toEqual({
    check: 'subscriptions',
    verdict: 'ok',
    message: 'disabled in the last 7 days: 2 (account), 2 (platform)',
  })
})

it.each<DisabledReason>(['gone', 'failing', 'key'])(
  'warns about subscriptions that Callboard disabled as %s',
  (reason) => {
    const { verdict, advice } = finding('platform', reason)
    expect(verdict).toBe('warning')
    // It explains the reasons that occur, and only those.
    expect(advice?.match(/\w+(?=: )/g)).toEqual(['platform', reason])
  },
)

it('names the running workers, and says how long each has run and when it was last seen', () => {
  expect(checkAttendance(IDLE)).toMatchObject({ check: 'attendance', verdict: 'ok', message: 'no worker is running' })
  expect(checkAttendance({ ...IDLE, workers: [worker()] })).toMatchObject({
    verdict: 'ok',
    message: '1 worker is running: w (for 30 min, last seen 400 ms ago)',
  })
  const { message } = checkAttendance({ ...IDLE, workers: Array.from({ length: 7 }, () => worker()) })
  expect(message).toMatch(/^7 workers are running: (w \([^)]+\), ){4}w \([^)]+\) and 2 more$/)
})

it('reports a problem if no worker is running and the last one died or work is waiting', () => {
  const lost = [{ name: 'w1', lastAt: new Date(88 * MINUTES_MS) }]
  expect(checkAttendance({ ...IDLE, lost })).toMatchObject({
    verdict: 'problem',
    message: 'no worker is running: w1 was last seen 2 min ago, and did not report that it was stopping',
    advice: expect.stringContaining('`callboard worker`'),
  })
  const due = { lanes: 1, longestMs: 11_000 }
  expect(checkAttendance({ ...IDLE, due })).toMatchObject({ verdict: 'problem', message: 'no worker is running' })
})

it('counts accounts that wait for a turn, and names hosts that are held back, without a warning', () => {
  expect(checkTurns(IDLE)).toEqual({
    check: 'turns',
    verdict: 'ok',
    message: 'no subscription is paused; no account waits for a turn; no target is held back',
  })
  const workers = [worker(host('a.example'), host('b.example:8443', 'failing')), worker(host('a.example', 'new'))]
  expect(checkTurns({ ...IDLE, pausedLanes: 1, workers })).toMatchObject({
    verdict: 'ok',
    message:
      '1 subscription is paused; 2 accounts wait for a turn; held back: ' +
      'a.example (8 at a time, at its limit, 3 waiting), b.example:8443 (4 at a time, failing or slow, 3 waiting)',
  })
  const many = Array.from({ length: 9 }, (_, index) => host(`${index}.example`))
  expect(checkTurns({ ...IDLE, workers: [worker(...many)] }).message).toMatch(/4\.example \([^)]+\) and 4 more$/)
})

it('names the format version that workers lack, and says that a deployment is not finished', () => {
  expect(checkPostponed({ ...IDLE, workers: [worker()] })).toMatchObject({ verdict: 'ok' })
  const { report, ...rest } = worker()
  const lacking = (lanes: number) => ({
    ...rest,
    report: { ...report, postponed: [{ cause: 'version', name: '2027-01-01', lanes } as const] },
  })
  expect(checkPostponed({ ...IDLE, workers: [lacking(3), lacking(8)] })).toMatchObject({
    verdict: 'warning',
    message: expect.stringContaining('no format version 2027-01-01 in their catalogue (8 subscriptions)'),
    advice: expect.stringContaining('deployment'),
  })
})

it('names workers whose clocks are wrong', () => {
  const { report, ...rest } = worker()
  const work = { ...IDLE, workers: [worker(), { ...rest, name: 'late', report: { ...report, clockOffMs: 3_600_000 } }] }
  expect(checkWorkerClocks(IDLE)).toMatchObject({ verdict: 'ok' })
  expect(checkWorkerClocks(work)).toMatchObject({
    verdict: 'warning',
    message: expect.stringContaining('late is 1 h behind'),
  })
})

it('advises starting another worker if subscriptions wait long, but not if their targets hold them back', () => {
  const due = { lanes: 4, longestMs: 2 * MINUTES_MS }
  const advice = (text: string) => ({ verdict: 'problem', advice: expect.stringContaining(text) })
  expect(checkLanes({ ...IDLE, due })).toMatchObject(advice('`callboard worker`'))
  expect(checkLanes({ ...IDLE, due, workers: [worker(host('a.example'))] })).toMatchObject(advice('`slowLanes`'))
  const heldBack = { ...IDLE, due, workers: [worker(host('a.example'), host('b.example'))] }
  expect(checkLanes(heldBack)).toMatchObject({
    verdict: 'ok',
    message: expect.stringContaining('(see the check "turns")'),
  })
  const lapsed = { lanes: 1, longestMs: 2 * MINUTES_MS }
  expect(checkLanes({ ...heldBack, lapsed })).toMatchObject({ verdict: 'problem' })
})
