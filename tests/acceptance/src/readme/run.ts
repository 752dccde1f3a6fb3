import type { AnyCallboard } from '@callboard/core/engine'
import type { RunReport } from '@callboard/delivery'
import { runUntilIdle } from '@callboard/delivery'

/** Delivers what is due. */
export async function deliver(callboard: AnyCallboard): Promise<Pick<RunReport, 'end' | 'nextInMs'>> {
  const { end, nextInMs } = await runUntilIdle(callboard, { deadlineMs: 50_000 })
  return { end, nextInMs }
}
