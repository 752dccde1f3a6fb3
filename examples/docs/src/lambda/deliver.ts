import { type RunReport, runUntilIdle } from '@callboard/delivery'
import type { Context } from 'aws-lambda'
import { callboard } from '../start/callboard.ts'

/** For a schedule of EventBridge, `rate(1 minute)`, and a function with a timeout of 60 seconds. */
export async function handler(_event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<RunReport> {
  const report = await runUntilIdle(callboard, { deadlineMs: context.getRemainingTimeInMillis() - 5_000 })
  console.log(JSON.stringify(report))
  return report
}
