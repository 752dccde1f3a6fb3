import { RAISED_EPOCH } from '../../fragments/raised-epoch.ts'
import type { Statement, SubscriptionKey } from '../statement.ts'
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscription-row.ts'

/** Makes the calling key the one that confirms the subscription. */
export const confirmSubscription: Statement<SubscriptionRow, SubscriptionKey & { confirmingKey: string | null }> = {
  name: 'confirm-subscription',
  text: `
update callboard.subscriptions set confirmed_by = :confirmingKey::uuid, changed_at = callboard.clock()
where account_id = :accountId and mode = :mode and id = :id::uuid
returning ${SUBSCRIPTION_COLUMNS}`,
}

export interface SetVersionParameters extends SubscriptionKey {
  readonly apiVersion: string
  readonly sources: readonly string[]
  /** Null leaves the confirming key as it is. */
  readonly confirmingKey: string | null
}

/** Returns no row if the subscription is pinned to this version already. */
export const setApiVersion: Statement<SubscriptionRow, SetVersionParameters> = {
  name: 'set-api-version',
  text: `
update callboard.subscriptions
set api_version = :apiVersion, confirmed_by = coalesce(:confirmingKey::uuid, confirmed_by), changed_at = callboard.clock()
where account_id = :accountId and mode = :mode and id = :id::uuid and state <> 'removed'
  and source = any (:sources::text[]) and api_version <> :apiVersion
returning ${SUBSCRIPTION_COLUMNS}`,
}

/**
 * Sets a subscription's ordering. Runs after {@link lockLane}, so a settle that leaves events waiting has either
 * committed, and this statement sees those events, or runs later and sees the new ordering.
 */
export const setOrdering: Statement<{ id: string }, SubscriptionKey & { ordering: string }> = {
  name: 'set-ordering',
  text: `
with changed as (
  update callboard.subscriptions set ordering = :ordering, changed_at = callboard.clock()
  where account_id = :accountId and mode = :mode and id = :id::uuid and state <> 'removed'
  returning id
),
freed as (
  update callboard.retries set due_at = callboard.clock()
  where :ordering = 'none' and account_id = :accountId and mode = :mode and subscription_id = :id::uuid
    and due_at is null
  returning 1
),
woken as (
  update callboard.lanes l
  set nudged = l.nudged or l.state = 'leased',
    wake_at = case when l.state = 'idle' then callboard.clock() else l.wake_at end
  where l.account_id = :accountId and l.mode = :mode and l.subscription_id = :id::uuid
    and exists (select from freed)
)
select id::text as id from changed`,
}

export interface RotateSecretParameters extends SubscriptionKey {
  readonly secret: string
  readonly overlapMs: number
  /** The secret is rotated only if this is the current one; null: in any case. */
  readonly from: string | null
}

export const rotateSecret: Statement<{ id: string }, RotateSecretParameters> = {
  name: 'rotate-secret',
  text: `
update callboard.subscriptions
set former_secret = secret, former_secret_expires_at = callboard.clock() + :overlapMs::float8 * interval '1 ms',
  secret = :secret, changed_at = callboard.clock()
where account_id = :accountId and mode = :mode and id = :id::uuid and state <> 'removed'
  and (:from::text is null or secret = :from)
returning id::text as id`,
}

/**
 * Sets the event types, and matches new events by them if the subscription is active. Returns no row, and changes
 * nothing, while the lane may have pending deliveries from before the last change. The sequencer's row and the lane must
 * be locked.
 */
export const changeEventTypes: Statement<{ id: string }, SubscriptionKey & { eventTypes: readonly string[] }> = {
  name: 'change-event-types',
  text: `
with changed as (
  update callboard.subscriptions s
  set event_types = :eventTypes::text[], types_after = q.position, previous_types = s.event_types,
    previous_after = s.types_after,
    earlier_types = array(select distinct unnest(s.earlier_types || s.previous_types))
  from callboard.lanes l, callboard.sequencer q
  where s.account_id = :accountId and s.mode = :mode and s.id = :id::uuid
    and l.account_id = :accountId and l.mode = :mode and l.subscription_id = :id::uuid and l.cursor >= s.types_after
  returning s.account_id, s.mode, s.id, s.state, s.previous_types, s.types_after
),
-- The cursor must get past the change even if no event follows.
extended as (
  update callboard.lanes l
  set cursor = case when l.head > l.cursor then l.cursor else c.types_after end, head = c.types_after
  from changed c where l.account_id = c.account_id and l.mode = c.mode and l.subscription_id = c.id
),
unmatched as (
  delete from callboard.subscription_types t using changed c
  where t.account_id = c.account_id and t.mode = c.mode and t.subscription_id = c.id
    and t.type = any (c.previous_types) and t.type <> all (:eventTypes::text[])
),
matched as (
  insert into callboard.subscription_types (account_id, mode, type, subscription_id)
  select c.account_id, c.mode, t.type, c.id
  from changed c cross join lateral unnest(:eventTypes::text[]) t(type)
  where c.state = 'active'
  on conflict do nothing
)
select id::text as id from changed`,
}

export interface ChangeParameters extends SubscriptionKey {
  /** Null leaves the target as it is; likewise `personalData` and `apiVersion`. */
  readonly targetUrl: string | null
  readonly personalData: boolean | null
  readonly apiVersion: string | null
  readonly changesDescription: boolean
  readonly description: string | null
}

export const changeSubscription: Statement<SubscriptionRow, ChangeParameters> = {
  name: 'change-subscription',
  text: `
update callboard.subscriptions
set target_url = coalesce(:targetUrl, target_url), personal_data = coalesce(:personalData::boolean, personal_data),
  api_version = coalesce(:apiVersion, api_version),
  description = case when :changesDescription::boolean then :description else description end,
  changed_at = callboard.clock()
where account_id = :accountId and mode = :mode and id = :id::uuid and state <> 'removed'
returning ${SUBSCRIPTION_COLUMNS}`,
}

/**
 * Runs after {@link lockLane} when the target changes. Makes retries due and resets the lane's health. Raises the
 * epoch, so that a worker that is sending to the old target can record nothing.
 */
export const startAfresh: Statement<{ ok: boolean }, SubscriptionKey & { targetUrl: string; host: string }> = {
  name: 'start-afresh',
  text: `
with elsewhere as (
  select account_id, mode, id from callboard.subscriptions
  where account_id = :accountId and mode = :mode and id = :id::uuid and target_url <> :targetUrl
),
hastened as (
  update callboard.retries r set due_at = callboard.clock() from elsewhere e
  where r.account_id = e.account_id and r.mode = e.mode and r.subscription_id = e.id and r.due_at is not null
  returning 1
)
update callboard.lanes l
set host = :host, state = case when l.state = 'disabled' then l.state else 'idle' end, worker = null,
  epoch = ${RAISED_EPOCH}, leased_until = null, claims = 0, nudged = false, slow = false,
  failures = 0, failed_attempts = 0, failing_since = null, reported = false,
  wake_at = case
    when l.state <> 'disabled' and (l.head > l.cursor or exists (select from hastened)) then callboard.clock()
  end
from elsewhere e where l.account_id = e.account_id and l.mode = e.mode and l.subscription_id = e.id
returning true as ok`,
}
