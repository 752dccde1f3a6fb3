import type { OwnerParameters, Statement, SubscriptionKey } from '../statement.ts'
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscription-row.ts'

export const findByIdentity: Statement<SubscriptionRow, OwnerParameters & { identity: Uint8Array }> = {
  name: 'find-subscription-by-identity',
  text: `
select ${SUBSCRIPTION_COLUMNS} from callboard.subscriptions
where account_id = :accountId and mode = :mode and identity = :identity and state <> 'removed'`,
}

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

export const countSubscriptions: Statement<{ n: number }, OwnerParameters> = {
  name: 'count-subscriptions',
  text: `
select count(*)::int as n from callboard.subscriptions
where account_id = :accountId and mode = :mode and state <> 'removed'`,
}

export const typesInUse: Statement<{ type: string }> = {
  name: 'types-in-use',
  text: `
select distinct t.type from callboard.subscriptions s cross join lateral unnest(s.event_types) t(type)
where s.state <> 'removed' order by 1`,
}

export const sealedSample: Statement<{ id: string; sealed: string }, { limit: number }> = {
  name: 'sealed-sample',
  text: `
select id::text as id, secret as sealed from callboard.subscriptions where state <> 'removed' limit :limit::int`,
}
