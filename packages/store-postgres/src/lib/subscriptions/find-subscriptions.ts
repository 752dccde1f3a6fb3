import type { BackfillRecord } from '@callboard/core/store'
import { newestLane } from '../lanes/lane-key.ts'
import { eventByKey } from '../sql/event-by-key.ts'
import type { OwnerParameters, Statement, SubscriptionKey } from '../sql/statement.ts'
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscription-row.ts'

export const findSubscription: Statement<SubscriptionRow, SubscriptionKey> = {
  name: 'find-subscription',
  text: `
select ${SUBSCRIPTION_COLUMNS} from callboard.subscriptions
where account_id = :accountId and mode = :mode and id = :id::uuid`,
}

export interface BackfillRow {
  state: BackfillRecord['state']
  since: number
  started_at: number
  reached_at: number | null
}

/** Returns no row if there is none. */
export const findBackfill: Statement<BackfillRow, SubscriptionKey> = {
  name: 'find-backfill',
  text: `
select l.backfill_state as state, extract(epoch from l.backfill_since)::float8 * 1000 as since,
  extract(epoch from l.backfill_started_at)::float8 * 1000 as started_at,
  extract(epoch from case when e.published_at >= l.backfill_since then e.published_at end)::float8 * 1000 as reached_at
from ${newestLane({ accountId: ':accountId', mode: ':mode', id: ':id::uuid' })} l
left join lateral (
  select x.event_id from callboard.feed x
  where x.account_id = :accountId and x.mode = :mode and x.position <= l.backfill_reached
  order by x.account_id desc, x.mode desc, x.position desc limit 1
) f on true
left join lateral ${eventByKey(':accountId', ':mode', 'f.event_id')} e on true
where l.backfill_state is not null`,
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
