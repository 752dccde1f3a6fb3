import { expect, it } from 'vitest'
import type { AttemptResult } from './attempt.ts'
import { requestEndOf } from './request-end.ts'

const endOf = (result: AttemptResult) => requestEndOf(result, { breakerFailures: 0, endedAt: 1_000 })

it.for([200, 301, 404, 410, 428])('takes a %i as a sign that the host can take more requests', (status) => {
  expect(endOf(answered(status))).toEqual({ kind: 'good', expectedToFail: false, startedAt: 970, endedAt: 1_000 })
})

it.for([429, 502, 503, 504])('takes a %i as a sign of overload', (status) => {
  expect(endOf(answered(status))).toMatchObject({ kind: 'overload' })
})

it.for(['connect', 'tls', 'timeout', 'reset'] as const)('takes the failure %s as a sign of overload', (reason) => {
  expect(endOf({ kind: 'failed', reason, durationMs: 30 })).toMatchObject({ kind: 'overload' })
})

it.for([500, 501, 507, 599])('takes a %i as no sign of how many requests the host can take', (status) => {
  expect(endOf(answered(status))).toMatchObject({ kind: 'neutral' })
})

it.for(['certificate', 'protocol', 'headers'] as const)('takes the failure %s as no such sign either', (reason) => {
  expect(endOf({ kind: 'failed', reason, durationMs: 30 })).toMatchObject({ kind: 'neutral' })
})

it.for(['aborted', 'blocked', 'dns'] as const)(
  'takes the failure %s as an attempt that the host never got',
  (reason) => {
    expect(endOf({ kind: 'failed', reason, durationMs: 30 })).toBeUndefined()
  },
)

it('knows of a lane that it was already failing', () => {
  expect(requestEndOf(answered(503), { breakerFailures: 1, endedAt: 1_000 })).toMatchObject({ expectedToFail: true })
})

function answered(status: number): AttemptResult {
  return { kind: 'response', status, body: '', truncated: false, durationMs: 30 }
}
