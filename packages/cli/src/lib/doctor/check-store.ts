import type { Engine } from '@callboard/core/engine'
import type { Finding, StoreSurvey } from '@callboard/core/store'
import { describeFailure } from '../failure.ts'

/** A subscription is reported if it was disabled at most this long ago. */
const LATELY_MS = 7 * 86_400_000

export interface StoreCheck {
  readonly findings: readonly Finding[]
  readonly work: StoreSurvey['work']
  /**
   * How far the store's clock is ahead of this process, in milliseconds. The real difference may be a little larger.
   * Negative if the store is behind; undefined if its time is unknown.
   */
  readonly aheadMs: number | undefined
}

/** Checks that the store can be reached, and collects the store's own findings. */
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

/**
 * The store read its clock between `before` and `after`. If its time lies in this interval, the clocks may agree, and
 * the difference is 0.
 */
function aheadOf(clock: number, before: number, after: number): number {
  if (clock > after) return clock - after
  return clock < before ? clock - before : 0
}
