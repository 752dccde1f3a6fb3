import type { ResultOf, Store, SubscriptionAct, SubscriptionRef } from '@callboard/core/store'

/** Changes a subscription directly in the store, without the checks that `callboard.subscriptions` makes. */
export function actOn(
  store: Pick<Store<unknown>, 'subscriptions'>,
  { accountId, mode, id }: SubscriptionRef,
  act: SubscriptionAct,
): Promise<ResultOf<'subscriptions', 'changeSubscription'>> {
  const actor = { type: 'operator', id: 'test' } as const
  const entry = { actor, action: 'subscription.changed', accountId, mode, objectId: id, details: {} } as const
  return store.subscriptions.changeSubscription({ accountId, mode, id }, act, entry)
}
