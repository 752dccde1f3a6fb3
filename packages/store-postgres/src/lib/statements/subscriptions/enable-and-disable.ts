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
 * SQL that tests whether a worker still holds lane `l`: its lease began before the lane was disabled, and has not
 * expired.
 */
export const IS_STILL_HELD: string = 'coalesce(l.leased_until > callboard.clock(), false)'

/**
 * Matches new events to an enabled subscription again, and restores its lane, which must be locked. {@link endPending}
 * has already set the position from which the lane continues.
 *
 * A worker that still holds the lane keeps its lease, so that nobody else starts the next event of a subject until the
 * worker has recorded what it has in flight. Whether the lane is held is read once, because time passes during the
 * statement.
 */
export const resumeLane: Statement<{ ok: boolean }, SubscriptionKey> = {
  name: 'resume-lane',
  text: `
with s as materialized (
  select s.account_id, s.mode, s.id, s.event_types, ${IS_STILL_HELD} as is_held
  from callboard.subscriptions s
  join callboard.lanes l on l.account_id = s.account_id and l.mode = s.mode and l.subscription_id = s.id
  where s.account_id = :accountId and s.mode = :mode and s.id = :id::uuid
),
matched as (
  insert into callboard.subscription_types (account_id, mode, type, subscription_id)
  select s.account_id, s.mode, t.type, s.id from s cross join lateral unnest(s.event_types) t(type)
  on conflict do nothing
)
update callboard.lanes l
set state = case when s.is_held then 'leased' else 'idle' end,
  wake_at = case when s.is_held then l.leased_until end, worker = case when s.is_held then l.worker end,
  epoch = case when s.is_held then l.epoch else ${RAISED_EPOCH} end,
  leased_until = null, claims = 0, nudged = false, slow = false,
  failures = 0, failed_attempts = 0, failing_since = null, reported = false
from s where l.account_id = s.account_id and l.mode = s.mode and l.subscription_id = s.id
returning true as ok`,
}

export interface DisableParameters extends SubscriptionKey {
  readonly reason: DisabledReason
  /** If the subscription is already disabled for one of these reasons, the new reason replaces the old one. */
  readonly replaces: readonly DisabledReason[]
}

/**
 * Disables a subscription. Like every statement that changes a lane and its subscription, it locks the lane first. A
 * worker that holds a lease can still record what it sent, but nothing else. The end of the lease moves from `wake_at`
 * to `leased_until`, because a lane with a `wake_at` can be leased.
 */
export const disableSubscription: Statement<{ found: boolean; changed: boolean }, DisableParameters> = {
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
  -- If no lease is held, the epoch is raised, so that earlier leases can no longer be settled. The state disabled
  -- alone would not prevent that, because a lease that was held when the lane was disabled may still be settled.
  update callboard.lanes l
  set state = 'disabled', wake_at = null,
    leased_until = case when l.state = 'leased' then l.wake_at else l.leased_until end,
    epoch = case when l.state in ('idle', 'paused') then ${RAISED_EPOCH} else l.epoch end
  from lane, changed
  where l.account_id = lane.account_id and l.mode = lane.mode and l.subscription_id = lane.subscription_id
)
select exists (select from lane) as found, exists (select from changed) as changed`,
}
