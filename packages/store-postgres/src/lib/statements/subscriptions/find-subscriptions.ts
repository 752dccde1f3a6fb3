import { idOf } from '../../fragments/id-of.ts'
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

const MINUTE_AGO = `callboard.clock() - interval '1 minute'`

/**
 * Milliseconds until the account may create another subscription; no row if it may now. An account may create at most
 * `limit` subscriptions a minute, including those that it has removed.
 *
 * Reads the ids of the last minute and of the two hours before it, because the clocks of the processes that generate
 * ids differ. There is no index on `created_at`, because Postgres would use it for other statements too: the overview
 * then read 83 blocks instead of at most 40.
 */
export const untilRoomForNew: Statement<{ ms: number }, { accountId: string; limit: number }> = {
  name: 'until-room-for-new-subscriptions',
  text: `
select (extract(epoch from created_at - (${MINUTE_AGO})) * 1000)::float8 as ms
from callboard.subscriptions
where account_id = :accountId and mode in ('live', 'test') and id > ${idOf(`${MINUTE_AGO} - interval '2 hours'`)}
  and created_at > ${MINUTE_AGO}
order by created_at desc offset :limit::int - 1 limit 1`,
}

export const typesInUse: Statement<{ type: string }> = {
  name: 'types-in-use',
  text: `
select distinct t.type from callboard.subscriptions s cross join lateral unnest(s.event_types) t(type)
where s.state <> 'removed' order by 1`,
}
