import type { Statement, SubscriptionKey } from '../sql/statement.ts'
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscription-row.ts'

/** Returns no row if the subscription is unknown to the act. */
export const changeSubscription: Statement<
  SubscriptionRow & { readonly outcome: 'changed' | 'unchanged' | 'refused' },
  SubscriptionKey & { readonly act: string; readonly entry: string }
> = {
  name: 'change-subscription',
  text: `
select outcome, ${SUBSCRIPTION_COLUMNS}
from (
  select r.outcome, (r.subscription).*
  from callboard.change_subscription(:accountId, :mode, :id::uuid, :act::jsonb, :entry::jsonb) r
) s`,
}
