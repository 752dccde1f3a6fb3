import type { ResendRange, ResentStep, Store, SubscriptionRef } from '@callboard/core/store'
import { expect } from 'vitest'
import { ENTRY } from '../arranging/inputs.ts'

/** Takes one step of resending a range. Also expects that a count of this step says beforehand what the step does. */
export async function countAndResend(
  { deliveryLog }: Pick<Store<unknown>, 'deliveryLog'>,
  ref: SubscriptionRef,
  range: ResendRange,
): Promise<ResentStep | 'disabled' | 'unknown'> {
  const counted = await deliveryLog.countRange(ref, range)
  expect(await deliveryLog.countRange(ref, range), 'a count changes nothing').toEqual(counted)
  const step = await deliveryLog.resendRange(ref, range, ENTRY)
  expect(step).toEqual(counted)
  return step
}
