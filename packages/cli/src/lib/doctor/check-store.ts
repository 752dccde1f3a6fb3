import type { Engine } from '@callboard/core/engine'
import type { Finding, StoreSurvey } from '@callboard/core/store'
import { describeFailure } from '../failure.ts'

/** How far back disabled subscriptions are told of. */
const LATELY_MS = 7 * 86_400_000

export interface StoreCheck {
  readonly findings: readonly Finding[]
  readonly work: StoreSurvey['work']
  /** How far the store's clock is ahead of this process, in milliseconds, at least; undefined: not known. */
  readonly aheadMs: number | undefined
}

/** Whether the store can be reached, and what it says of itself. */
export async function checkStore({ store, now }: Engine): Promise<StoreCheck> {
  const before = now()
  try {
    const { findings, work } = await store.survey(LATELY_MS)
    return { findings, work, aheadMs: work && aheadOf(work.clock.getTime(), before, now()) }
  } catch (error) {
    const { message } = describeFailure(error)
    return { findings: [{ check: 'database', verdict: 'problem', message }], work: undefined, aheadMs: undefined }
  }
}

/** The store's clock was read some time in between: only what lies outside is known to be wrong. */
function aheadOf(clock: number, before: number, after: number): number {
  if (clock > after) return clock - after
  return clock < before ? clock - before : 0
}
