import type { Callboard, DisabledReason, SubscriptionRecord } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'

/** Disables a subscription as a worker or the platform would, directly in the store. */
export async function disableFor(
  callboard: Callboard,
  { accountId, mode, id }: Pick<SubscriptionRecord, 'accountId' | 'mode' | 'id'>,
  reason: DisabledReason,
): Promise<void> {
  const entry = { action: 'subscription.disabled', accountId, mode, objectId: id, details: { reason } } as const
  await engineOf(callboard).store.subscriptions.changeSubscription(
    { accountId, mode, id },
    { act: 'disable', reason, replaces: [] },
    { actor: { type: 'platform', id: undefined }, ...entry },
  )
}
