import { RAISED_EPOCH } from '../raised-epoch.ts'
import type { Statement } from '../statement.ts'
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscription-row.ts'

export const activateSubscription: Statement<SubscriptionRow> = {
  name: 'activate-subscription',
  text: `
update callboard.subscriptions set state = 'active', disabled_reason = null, changed_at = callboard.clock()
where account_id = $1 and mode = $2 and id = $3::uuid and state = 'disabled' returning ${SUBSCRIPTION_COLUMNS}`,
}

/** Matching and lane of one that is switched on again, after {@link endWaiting} has set where it goes on. */
export const resumeLane: Statement<{ ok: boolean }> = {
  name: 'resume-lane',
  text: `
with s as (
  select account_id, mode, id, event_types from callboard.subscriptions where account_id = $1 and mode = $2 and id = $3::uuid
),
matched as (
  insert into callboard.subscription_types (account_id, mode, type, subscription_id)
  select s.account_id, s.mode, t.type, s.id from s cross join lateral unnest(s.event_types) t(type) on conflict do nothing
)
update callboard.lanes l set state = 'idle', wake_at = null, epoch = ${RAISED_EPOCH}, claims = 0, nudged = false, slow = false, failures = 0, failed_tries = 0, failing_since = null
from s where l.account_id = s.account_id and l.mode = s.mode and l.subscription_id = s.id
returning true as ok`,
}

/**
 * Disables an active subscription, or one that is disabled for a reason of $5. Locks its lane first, as every statement that changes both does. A lease that is held stays good for
 * writing down what was sent, and for nothing else.
 */
export const disableSubscription: Statement<{ found: boolean }> = {
  name: 'disable-subscription',
  text: `
with lane as (
  select account_id, mode, subscription_id from callboard.lanes where account_id = $1 and mode = $2 and subscription_id = $3::uuid for update
),
changed as (
  update callboard.subscriptions s set state = 'disabled', disabled_reason = $4, changed_at = callboard.clock() from lane
  where s.account_id = lane.account_id and s.mode = lane.mode and s.id = lane.subscription_id
    and (s.state = 'active' or s.disabled_reason = any ($5::text[])) returning s.id
),
unmatched as (
  delete from callboard.subscription_types t using callboard.subscriptions s
  where s.account_id = $1 and s.mode = $2 and s.id = $3::uuid and t.account_id = s.account_id and t.mode = s.mode
    and t.type = any (s.event_types) and t.subscription_id = s.id
),
stopped as (
  -- A lease that was given back is no lease any more: the disabled lane would take it for one that is held.
  update callboard.lanes l set state = 'disabled', wake_at = null, epoch = case when l.state in ('idle', 'paused') then ${RAISED_EPOCH} else l.epoch end from lane, changed
  where l.account_id = lane.account_id and l.mode = lane.mode and l.subscription_id = lane.subscription_id
)
select exists (select from lane) as found`,
}
