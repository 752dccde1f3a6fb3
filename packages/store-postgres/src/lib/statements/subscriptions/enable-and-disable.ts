import type { DisabledReason } from '@callboard/core'
import { RAISED_EPOCH } from '../../fragments/raised-epoch.ts'
import type { Statement, SubscriptionKey } from '../statement.ts'
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscription-row.ts'

export const enableSubscription: Statement<SubscriptionRow, SubscriptionKey> = {
  name: 'enable-subscription',
  text: `
update callboard.subscriptions set state = 'active', disabled_reason = null, changed_at = callboard.clock()
where account_id = :accountId and mode = :mode and id = :id::uuid and state = 'disabled'
returning ${SUBSCRIPTION_COLUMNS}`,
}

/**
 * Matches new events to an enabled subscription again, and restores its lane. {@link endPending} has already set the
 * position from which the lane continues.
 */
export const resumeLane: Statement<{ ok: boolean }, SubscriptionKey> = {
  name: 'resume-lane',
  text: `
with s as (
  select account_id, mode, id, event_types from callboard.subscriptions
  where account_id = :accountId and mode = :mode and id = :id::uuid
),
matched as (
  insert into callboard.subscription_types (account_id, mode, type, subscription_id)
  select s.account_id, s.mode, t.type, s.id from s cross join lateral unnest(s.event_types) t(type)
  on conflict do nothing
)
update callboard.lanes l
set state = 'idle', wake_at = null, epoch = ${RAISED_EPOCH}, claims = 0, nudged = false, slow = false,
  failures = 0, failed_attempts = 0, failing_since = null
from s where l.account_id = s.account_id and l.mode = s.mode and l.subscription_id = s.id
returning true as ok`,
}

export interface DisableParameters extends SubscriptionKey {
  readonly reason: DisabledReason
  /** If the subscription is already disabled for one of these reasons, the new reason replaces it. */
  readonly replaces: readonly DisabledReason[]
}

/**
 * Disables a subscription. Like every statement that changes a lane and its subscription, it locks the lane first. A
 * worker that holds a lease can still record what it sent, but nothing else.
 */
export const disableSubscription: Statement<{ found: boolean }, DisableParameters> = {
  name: 'disable-subscription',
  text: `
with lane as (
  select account_id, mode, subscription_id from callboard.lanes
  where account_id = :accountId and mode = :mode and subscription_id = :id::uuid for update
),
changed as (
  update callboard.subscriptions s
  set state = 'disabled', disabled_reason = :reason, changed_at = callboard.clock()
  from lane
  where s.account_id = lane.account_id and s.mode = lane.mode and s.id = lane.subscription_id
    and (s.state = 'active' or (s.state = 'disabled' and s.disabled_reason = any (:replaces::text[])))
  returning s.id
),
unmatched as (
  delete from callboard.subscription_types t using callboard.subscriptions s
  where s.account_id = :accountId and s.mode = :mode and s.id = :id::uuid
    and t.account_id = s.account_id and t.mode = s.mode and t.type = any (s.event_types) and t.subscription_id = s.id
),
lane_disabled as (
  -- Without a lease the epoch rises, because the state no longer tells whether one is held.
  update callboard.lanes l
  set state = 'disabled', wake_at = null,
    epoch = case when l.state in ('idle', 'paused') then ${RAISED_EPOCH} else l.epoch end
  from lane, changed
  where l.account_id = lane.account_id and l.mode = lane.mode and l.subscription_id = lane.subscription_id
)
select exists (select from lane) as found`,
}
