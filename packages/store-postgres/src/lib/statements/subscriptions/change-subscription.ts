import { RAISED_EPOCH } from '../raised-epoch.ts'
import type { Statement } from '../statement.ts'
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscription-row.ts'

/** The calling key becomes the confirming one. */
export const confirmSubscription: Statement<SubscriptionRow> = {
  name: 'confirm-subscription',
  text: `
update callboard.subscriptions set confirmed_by = $4::uuid, changed_at = callboard.clock()
where account_id = $1 and mode = $2 and id = $3::uuid returning ${SUBSCRIPTION_COLUMNS}`,
}

/** After {@link lockLane}: an event that a settle lets wait is seen by this, or that settle sees the order that this sets. */
export const setOrdering: Statement<{ id: string }> = {
  name: 'set-ordering',
  text: `
with changed as (
  update callboard.subscriptions set ordering = $4, changed_at = callboard.clock()
  where account_id = $1 and mode = $2 and id = $3::uuid and state <> 'removed' returning id
),
freed as (
  update callboard.retries set due_at = callboard.clock()
  where $4 = 'none' and account_id = $1 and mode = $2 and subscription_id = $3::uuid and due_at is null returning 1
),
woken as (
  update callboard.lanes l set nudged = l.nudged or l.state = 'leased', wake_at = case when l.state = 'idle' then callboard.clock() else l.wake_at end
  where l.account_id = $1 and l.mode = $2 and l.subscription_id = $3::uuid and exists (select from freed)
)
select id::text as id from changed`,
}

export const rotateSecret: Statement<{ id: string }> = {
  name: 'rotate-secret',
  text: `
update callboard.subscriptions set former_secret = secret, former_secret_expires_at = callboard.clock() + $5::float8 * interval '1 ms', secret = $4, changed_at = callboard.clock()
where account_id = $1 and mode = $2 and id = $3::uuid and state <> 'removed' and ($6::text is null or secret = $6) returning id::text as id`,
}

export interface ShareRow {
  event_types: string[]
  share_types: string[] | null
  /** As text, in the order of the types. */
  share_after: string[] | null
  share_through: (string | null)[] | null
  cursor: number
  head: number
}

/** After sequencer and lane were locked: what a change of event types is reckoned from. */
export const readShare: Statement<ShareRow> = {
  name: 'read-share',
  text: `
select s.event_types, s.share_types, s.share_after::text[] as share_after, s.share_through::text[] as share_through, l.cursor::float8 as cursor, q.position::float8 as head
from callboard.subscriptions s
join callboard.lanes l on l.account_id = s.account_id and l.mode = s.mode and l.subscription_id = s.id
join callboard.sequencers q on q.shard = 0
where s.account_id = $1 and s.mode = $2 and s.id = $3::uuid and s.state <> 'removed'`,
}

/** After {@link readShare}: the types, the share that they make, and, while it is active, what matches. */
export const changeEventTypes: Statement<{ id: string }> = {
  name: 'change-event-types',
  text: `
with changed as (
  update callboard.subscriptions s set event_types = $4::text[], share_types = $5::text[], share_after = $6::bigint[], share_through = $7::bigint[]
  where s.account_id = $1 and s.mode = $2 and s.id = $3::uuid returning s.account_id, s.mode, s.id, s.state
),
unmatched as (
  delete from callboard.subscription_types t using changed c
  where t.account_id = c.account_id and t.mode = c.mode and t.type = any ($8::text[]) and t.subscription_id = c.id
),
matched as (
  insert into callboard.subscription_types (account_id, mode, type, subscription_id)
  select c.account_id, c.mode, t.type, c.id from changed c cross join lateral unnest($4::text[]) t(type) where c.state = 'active' on conflict do nothing
)
select id::text as id from changed`,
}

/** What needs no more than its column. $4 the target, $5 personal data, $6 whether the description is another, $7 which. */
export const changeSubscription: Statement<SubscriptionRow> = {
  name: 'change-subscription',
  text: `
update callboard.subscriptions set target_url = coalesce($4, target_url), personal_data = coalesce($5::boolean, personal_data),
  description = case when $6::boolean then $7 else description end, changed_at = callboard.clock()
where account_id = $1 and mode = $2 and id = $3::uuid and state <> 'removed' returning ${SUBSCRIPTION_COLUMNS}`,
}

/**
 * After {@link lockLane}, when the target is another one than $4: all that waits is due, and nothing is held against the lane. The epoch
 * fences who sends to the former target.
 */
export const startAfresh: Statement<{ ok: boolean }> = {
  name: 'start-afresh',
  text: `
with elsewhere as (
  select account_id, mode, id from callboard.subscriptions where account_id = $1 and mode = $2 and id = $3::uuid and target_url <> $4
),
hastened as (
  update callboard.retries r set due_at = callboard.clock() from elsewhere e
  where r.account_id = e.account_id and r.mode = e.mode and r.subscription_id = e.id and r.due_at is not null returning 1
)
update callboard.lanes l set state = case when l.state = 'disabled' then l.state else 'idle' end, worker = null, epoch = ${RAISED_EPOCH}, claims = 0, nudged = false,
  slow = false, failures = 0, failed_tries = 0, failing_since = null, 
  wake_at = case when l.state <> 'disabled' and (l.head > l.cursor or exists (select from hastened)) then callboard.clock() end
from elsewhere e where l.account_id = e.account_id and l.mode = e.mode and l.subscription_id = e.id
returning true as ok`,
}
