import { expect, it } from 'vitest'
import { readRunOptions } from './run-options.ts'

it.each([
  { deadlineMs: 60_000, attemptMs: 15_000, workMs: 43_000, sendMs: 58_000 },
  { deadlineMs: 32_000, attemptMs: 15_000, workMs: 15_000, sendMs: 30_000 },
  { deadlineMs: 10_000, attemptMs: 4_000, workMs: 4_000, sendMs: 8_000 },
  { deadlineMs: 5_000, attemptMs: 1_500, workMs: 1_500, sendMs: 3_000 },
])('divides a run of $deadlineMs ms so that its last attempt can end and be settled', ({ deadlineMs, ...times }) => {
  const { worker, workMs, sendMs } = readRunOptions({ deadlineMs }, Number.POSITIVE_INFINITY)
  expect({ attemptMs: worker.deadlineMs, workMs, sendMs }).toEqual(times)
})

it('makes a run stop taking work early enough for an attempt that takes attemptDeadlineMs', () => {
  const options = { deadlineMs: 18_000, attemptDeadlineMs: 15_000 }
  expect(readRunOptions(options, Number.POSITIVE_INFINITY)).toMatchObject({ workMs: 1_000, sendMs: 16_000 })
})
