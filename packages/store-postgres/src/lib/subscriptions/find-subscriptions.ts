import type { OwnerParameters, Statement, SubscriptionKey } from '../sql/statement.ts'
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscription-row.ts'

export const findSubscription: Statement<SubscriptionRow, SubscriptionKey> = {
  name: 'find-subscription',
  text: `
select ${SUBSCRIPTION_COLUMNS} from callboard.subscriptions
where account_id = :accountId and mode = :mode and id = :id::uuid`,
}

export const listSubscriptions: Statement<SubscriptionRow, OwnerParameters> = {
  name: 'list-subscriptions',
  text: `
select ${SUBSCRIPTION_COLUMNS} from callboard.subscriptions s
where account_id = :accountId and mode = :mode and state <> 'removed' order by s.created_at desc, s.id desc`,
}

export const typesInUse: Statement<{ type: string }> = {
  name: 'types-in-use',
  text: `
select distinct t.type from callboard.subscriptions s cross join lateral unnest(s.event_types) t(type)
where s.state <> 'removed' order by 1`,
}
