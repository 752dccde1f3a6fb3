import { eventByKey } from './event-by-key.ts'
import type { Statement } from './statement.ts'

export interface SubscriptionRow {
  account_id: string
  mode: 'live' | 'test'
  id: string
  source: 'api' | 'dashboard'
  target_url: string
  event_types: string[]
  integration: string
  external_ref: string | null
  api_version: string
  secret: string
  former_secret: string | null
  former_secret_expires_at: number | null
  state: 'active' | 'disabled' | 'removed'
  disabled_reason: 'gone' | 'failing' | 'key' | 'manual' | null
  ordering: 'none' | 'subject'
  confirmed_by: string | null
  personal_data: boolean | null
  created_at: number
}

const COLUMNS = `account_id, mode, id::text as id, source, target_url, event_types, integration, external_ref, api_version, secret,
  case when former_secret_expires_at > callboard.clock() then former_secret end as former_secret,
  extract(epoch from former_secret_expires_at)::float8 * 1000 as former_secret_expires_at,
  state, disabled_reason, ordering, confirmed_by::text as confirmed_by, personal_data, extract(epoch from created_at)::float8 * 1000 as created_at`

/**
 * Creates of one account and mode go one after the other: the count against the limit is exact, and the same subscription
 * is found rather than collided with. Released at the end of the transaction, so a pooler in transaction mode is fine.
 */
export const lockCreates: Statement<unknown> = {
  name: 'lock-creates',
  text: `select pg_advisory_xact_lock(hashtextextended('callboard subscriptions ' || $1::text || ' ' || $2::text, 0))`,
}

/**
 * Keeps the sequencer out until the transaction ends: a pass that does not see the new lane would not wake it. And the
 * position read next is not older than any pass. Not shared between creates: sharers would overlap and starve the sequencer.
 */
export const lockSequencer: Statement<{ shard: number }> = {
  name: 'lock-sequencer',
  text: `select shard::int as shard from callboard.sequencers where shard = 0 for update`,
}

/** Lanes are locked before subscriptions, everywhere. */
export const lockLane: Statement<{ state: 'idle' | 'leased' | 'paused' | 'disabled' }> = {
  name: 'lock-lane',
  text: `select state from callboard.lanes where account_id = $1 and mode = $2 and subscription_id = $3::uuid for update`,
}

/** Keeps a rotation from handing over this key's subscriptions while one more is made with it. */
export const lockKey: Statement<{ id: string }> = {
  name: 'lock-key',
  text: `select id::text as id from callboard.api_keys where account_id = $1 and id = $2::uuid for share`,
}

export const findByIdentity: Statement<SubscriptionRow> = {
  name: 'find-subscription-by-identity',
  text: `select ${COLUMNS} from callboard.subscriptions where account_id = $1 and mode = $2 and identity = $3 and state <> 'removed'`,
}

export const findSubscription: Statement<SubscriptionRow> = {
  name: 'find-subscription',
  text: `select ${COLUMNS} from callboard.subscriptions where account_id = $1 and mode = $2 and id = $3::uuid`,
}

export const listSubscriptions: Statement<SubscriptionRow> = {
  name: 'list-subscriptions',
  text: `
select ${COLUMNS} from callboard.subscriptions s
where account_id = $1 and mode = $2 and state <> 'removed' order by s.created_at desc, s.id desc`,
}

export const countSubscriptions: Statement<{ n: number }> = {
  name: 'count-subscriptions',
  text: `select count(*)::int as n from callboard.subscriptions where account_id = $1 and mode = $2 and state <> 'removed'`,
}

export const typesInUse: Statement<{ type: string }> = {
  name: 'types-in-use',
  text: `select distinct t.type from callboard.subscriptions s cross join lateral unnest(s.event_types) t(type) where s.state <> 'removed' order by 1`,
}

export const sealedSample: Statement<{ id: string; sealed: string }> = {
  name: 'sealed-sample',
  text: `select id::text as id, secret as sealed from callboard.subscriptions where state <> 'removed' limit $1::int`,
}

/**
 * A subscription with its matching and its lane, which starts from what is not visible yet. One statement, so that `created_at` says the
 * same: it is read after the snapshot was taken, so an event that was published by then and is not visible is the first it may get, and
 * none that was published later is passed over.
 */
export const insertSubscription: Statement<SubscriptionRow> = {
  name: 'insert-subscription',
  text: `
with created as (
  insert into callboard.subscriptions (account_id, mode, id, source, identity, target_url, event_types, integration, external_ref,
    api_version, secret, confirmed_by, personal_data)
  select a.id, $2, $3::uuid, $4, $5::bytea, $6, $7::text[], $8, $9, $10, $11, $12::uuid, $13::boolean from callboard.accounts a where a.id = $1 and a.deleted_at is null
  returning *
),
matched as (
  insert into callboard.subscription_types (account_id, mode, type, subscription_id)
  select c.account_id, c.mode, t.type, c.id from created c cross join lateral unnest(c.event_types) t(type) on conflict do nothing
),
started as (
  insert into callboard.lanes (account_id, mode, subscription_id, cursor, head, since, since_at, start, start_since, start_since_at)
  select c.account_id, c.mode, c.id, q.position, q.position, pg_current_snapshot(), c.created_at, q.position, pg_current_snapshot(), c.created_at
  from created c, callboard.sequencers q where q.shard = 0
)
select ${COLUMNS} from created`,
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
update callboard.lanes l set state = 'idle', wake_at = null, epoch = l.epoch + 1, claims = 0, nudged = false, slow = false, failures = 0, failed_tries = 0, failing_since = null
from s where l.account_id = s.account_id and l.mode = s.mode and l.subscription_id = s.id
returning true as ok`,
}

/**
 * Ends what waits, as $4, after sequencer and lane were locked: retries one by one, the feed as a range, and what is
 * committed and not placed yet one by one too: it will be passed over, and must not vanish. One statement, so that what it sees of the
 * outbox is what the lane's new snapshot shows as older. A lease that is held remembers that what it fails with is not tried again.
 */
export const endWaiting: Statement<{ ok: boolean }> = {
  name: 'end-waiting',
  text: `
with lane as materialized (
  select l.cursor, l.since, l.since_at, s.event_types from callboard.lanes l
  join callboard.subscriptions s on s.account_id = l.account_id and s.mode = l.mode and s.id = l.subscription_id
  where l.account_id = $1 and l.mode = $2 and l.subscription_id = $3::uuid
),
retried as (
  delete from callboard.retries where account_id = $1 and mode = $2 and subscription_id = $3::uuid returning event_id, tries
),
unplaced as (
  select o.event_id, 0::smallint as tries from lane l
  join callboard.outbox o on o.shard = 0 and o.account_id = $1 and o.mode = $2 and o.type = any (l.event_types)
  cross join lateral ${eventByKey('$1', '$2', 'o.event_id')} e
  where not (e.published_at <= l.since_at and pg_visible_in_snapshot(e.xid, l.since))
),
ended as (
  insert into callboard.ended_deliveries (account_id, mode, subscription_id, event_id, state, tries)
  select $1, $2, $3::uuid, event_id, $4, tries from (table retried union all table unplaced) waiting
  on conflict (account_id, mode, subscription_id, event_id) do update set state = excluded.state, tries = excluded.tries, ended_at = callboard.clock()
),
ranged as (
  insert into callboard.ended_ranges (account_id, mode, subscription_id, after, through, state)
  select $1, $2, $3::uuid, l.cursor, q.position, $4 from lane l, callboard.sequencers q where q.shard = 0 and l.cursor < q.position
  on conflict do nothing
)
update callboard.lanes l set cursor = q.position, head = q.position, since = pg_current_snapshot(), since_at = callboard.clock(),
  start_since = coalesce(l.start_since, l.since), start_since_at = coalesce(l.start_since_at, l.since_at),
  skipped_epoch = case when l.state = 'leased' then l.epoch end, wake_at = case when l.state = 'idle' then null else l.wake_at end
from callboard.sequencers q where q.shard = 0 and l.account_id = $1 and l.mode = $2 and l.subscription_id = $3::uuid
returning true as ok`,
}

/** The calling key becomes the confirming one. */
export const confirmSubscription: Statement<SubscriptionRow> = {
  name: 'confirm-subscription',
  text: `
update callboard.subscriptions set confirmed_by = $4::uuid, changed_at = callboard.clock()
where account_id = $1 and mode = $2 and id = $3::uuid returning ${COLUMNS}`,
}

export const activateSubscription: Statement<SubscriptionRow> = {
  name: 'activate-subscription',
  text: `
update callboard.subscriptions set state = 'active', disabled_reason = null, changed_at = callboard.clock()
where account_id = $1 and mode = $2 and id = $3::uuid and state = 'disabled' returning ${COLUMNS}`,
}

/**
 * Locks the subscription's lane first, as every statement that changes both does. A lease that is held stays good for
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
    and (s.state = 'active' or (s.state = 'disabled' and $4 = 'manual')) returning s.id
),
unmatched as (
  delete from callboard.subscription_types t using callboard.subscriptions s
  where s.account_id = $1 and s.mode = $2 and s.id = $3::uuid and t.account_id = s.account_id and t.mode = s.mode
    and t.type = any (s.event_types) and t.subscription_id = s.id
),
stopped as (
  -- A lease that was given back is no lease any more: the disabled lane would take it for one that is held.
  update callboard.lanes l set state = 'disabled', wake_at = null, epoch = case when l.state in ('idle', 'paused') then l.epoch + 1 else l.epoch end from lane, changed
  where l.account_id = lane.account_id and l.mode = lane.mode and l.subscription_id = lane.subscription_id
)
select exists (select from lane) as found`,
}

/**
 * After {@link lockLane}. Its lane goes with it, so a lease that is still held is fenced out, and so do its retries. What was
 * tried stays in the log.
 */
export const removeSubscription: Statement<{ outcome: 'removed' | 'already' | 'unknown' }> = {
  name: 'remove-subscription',
  text: `
with changed as (
  update callboard.subscriptions s set state = 'removed', changed_at = callboard.clock()
  where s.account_id = $1 and s.mode = $2 and s.id = $3::uuid and s.source = $4 and s.state <> 'removed'
  returning s.account_id, s.mode, s.id, s.event_types
),
unmatched as (
  delete from callboard.subscription_types t using changed c
  where t.account_id = c.account_id and t.mode = c.mode and t.type = any (c.event_types) and t.subscription_id = c.id
),
stopped as (
  delete from callboard.lanes l using changed c where l.account_id = c.account_id and l.mode = c.mode and l.subscription_id = c.id
),
untried as (
  delete from callboard.retries r using changed c where r.account_id = c.account_id and r.mode = c.mode and r.subscription_id = c.id
)
select case
  when exists (select from changed) then 'removed'
  when exists (select from callboard.subscriptions s where s.account_id = $1 and s.mode = $2 and s.id = $3::uuid and s.source = $4) then 'already'
  else 'unknown' end as outcome`,
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
where account_id = $1 and mode = $2 and id = $3::uuid and state <> 'removed' returning id::text as id`,
}
