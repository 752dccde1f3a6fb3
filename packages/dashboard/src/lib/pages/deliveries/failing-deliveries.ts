import type { DeliveryRecord, OwnedRef } from '@callboard/core'
import type { Call } from '../../call.ts'

/** At most this many deliveries of each state are read. */
const READ = 5

export interface FailingDeliveries {
  readonly exhausted: readonly DeliveryRecord[]
  readonly retrying: readonly DeliveryRecord[]
}

/** A subscription's newest deliveries that are exhausted or retrying. */
export async function failingDeliveries({ callboard }: Call, ref: OwnedRef): Promise<FailingDeliveries> {
  const [exhausted, retrying] = await Promise.all([
    callboard.deliveries.list({ ...ref, subscriptionId: ref.id, state: 'exhausted', limit: READ }),
    callboard.deliveries.list({ ...ref, subscriptionId: ref.id, state: 'retrying', limit: READ }),
  ])
  return { exhausted: exhausted.deliveries, retrying: retrying.deliveries }
}

/** Sorts failing deliveries by their last attempt, latest first. */
export function lastFailed({ exhausted, retrying }: FailingDeliveries): readonly DeliveryRecord[] {
  const at = ({ lastAttempt }: DeliveryRecord): number => lastAttempt?.at.getTime() ?? 0
  return [...exhausted, ...retrying].sort((a, b) => at(b) - at(a))
}
