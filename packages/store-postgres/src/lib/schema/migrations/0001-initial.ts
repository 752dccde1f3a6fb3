import type { NumberedMigration } from './numbered-migration.ts'

export const initialMigration: NumberedMigration = {
  name: '0001-initial.sql',
  text: `
-- Callboard's tables. The functions that change them stand in functions.ts. The SQL is written for a schema named
-- \`callboard\`; migrate({ schema }) replaces the name. schema.md explains the layout. Text keys are collate "C". Nearly
-- every key starts with account_id and mode.

-- Looks for the schema first, because \`create schema if not exists\` needs the right to create schemas even if the
-- schema exists.
do $$
begin
  if to_regnamespace('callboard') is null then
    create schema callboard;
  end if;
end $$;

create table callboard.migrations (
  name       text primary key,
  applied_at timestamptz not null default clock_timestamp()
);

-- All SQL reads the time from this function, so that tests can change the time. It is stable, because an index
-- condition cannot call a volatile function. It is in PL/pgSQL, where a call takes 0.3 microseconds; in SQL it took 1.
create function callboard.clock() returns timestamptz language plpgsql stable as $$
begin
  return clock_timestamp();
end $$;

create table callboard.accounts (
  id         text collate "C" primary key,
  name       text not null,
  created_at timestamptz not null default callboard.clock(),
  deleted_at timestamptz                     -- once set, keys stop working and nothing is published. The row
                                             -- stays, without the name, so that the id is never reused
);
create index accounts_deleted on callboard.accounts (id) where deleted_at is not null; -- for retention

create table callboard.api_keys (
  account_id     text collate "C" not null,
  id             uuid not null,
  mode           text collate "C" not null check (mode in ('live', 'test')),
  name           text not null,
  scopes         text[] not null,
  token_hash     bytea not null,             -- SHA-256; a slow hash is not needed, as the token has 256 random bits
  window_seconds int[],                      -- null: the platform's default windows
  window_limits  int[],
  api_version    text collate "C" not null, -- the format version that the key is pinned to
  created_at     timestamptz not null default callboard.clock(),
  expires_at     timestamptz,
  revoked_at     timestamptz,
  last_used_at   timestamptz,                -- sampled: updated at most once a minute
  successor_id   uuid,
  last_characters text collate "C",         -- of the token, to recognise it by; null if imported
  primary key (account_id, id)
) with (fillfactor = 80);
create unique index api_keys_token_hash on callboard.api_keys (token_hash);
-- A platform may choose the id of a key. No two accounts have a key with the same id.
create unique index api_keys_id on callboard.api_keys (id);
-- For retention. least() ignores nulls.
create index api_keys_ended on callboard.api_keys (least(revoked_at, expires_at))
  where least(revoked_at, expires_at) is not null;

-- Three rate-limit windows per key. Unlogged: after a crash of the database, the counts restart from zero.
create unlogged table callboard.rate_windows (
  account_id text collate "C" not null,
  key_id uuid not null,
  start1 bigint not null, used1 int not null,
  start2 bigint not null, used2 int not null,
  start3 bigint not null, used3 int not null,
  primary key (account_id, key_id)
) with (fillfactor = 25);

create table callboard.subjects (            -- the counter behind subject.sequence; never purged
  account_id text collate "C" not null,
  mode       text collate "C" not null,
  type       text collate "C" not null,
  id         text collate "C" not null,
  last       bigint not null,
  primary key (account_id, mode, type, id)
) with (fillfactor = 50);

create table callboard.events (              -- append only, written in the platform's transaction
  account_id      text collate "C" not null,
  mode            text collate "C" not null,
  id              uuid not null,
  type            text collate "C" not null,
  occurred_at     timestamptz not null,
  published_at    timestamptz not null default callboard.clock(),
  xid             xid8 not null default pg_current_xact_id(), -- decides whether the event is older than a subscription
  subject_type    text collate "C" not null,
  subject_id      text collate "C" not null,
  sequence        bigint not null,
  idempotency_key text collate "C",
  digest          text,                      -- keyed digest of the input; null if the publisher gave neither id nor key
  body            text not null,             -- the envelope without personal data; sent unchanged
  patch           text,                      -- adds the personal data to the body; null once erased
  fingerprint     text collate "C" not null, -- identifies the body's format version, and the paths that it lacks
  person_id       text collate "C",          -- null once erased
  person_digest   text collate "C",          -- keyed digest of the person's id; null until erased
  trace           text collate "C",          -- trace context of the publisher; null without telemetry
  primary key (account_id, mode, id)
);
-- These columns have no statistics, because statistics would keep erased values until the next analyze.
alter table callboard.events alter column body set statistics 0, alter column patch set statistics 0;
create index events_page on callboard.events (account_id, mode, occurred_at desc, id desc);
-- Without this index, a page of a rare type reads the whole account: at 1 million events, 0.94 s instead of 85
-- microseconds.
create index events_type_page on callboard.events (account_id, mode, type, occurred_at desc, id desc);
-- For searches by subject. The index has the whole order of a page. Without the id, a page sorts all events of the
-- subject: 2 s instead of 50 ms for 267,000 events. The subject is the first column, because otherwise the planner uses
-- this index to look up single events until the table is analysed.
create index events_subject on callboard.events (subject_id, account_id, mode, occurred_at desc, id desc);
create unique index events_idempotency on callboard.events (account_id, mode, idempotency_key)
  where idempotency_key is not null;
-- For counting the events of format versions that the catalogue no longer has. The body begins with the version.
create index events_version on callboard.events using brin (split_part(body, '"', 12)) with (autosummarize = on);
create index events_person on callboard.events (account_id, mode, person_id) where person_id is not null;
create index events_erased_person on callboard.events (account_id, mode, person_digest)
  where person_digest is not null;

-- Events that have no position in the feed yet. A row is inserted with its event, and the sequencer removes rows in the
-- order of \`queued\`. It does not use the order of ids, because a subject's later event may have the lower id.
create table callboard.outbox (
  queued     bigint generated always as identity primary key,
  event_id   uuid not null,
  account_id text collate "C" not null,
  mode       text collate "C" not null,
  type       text collate "C" not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);

-- One row. A transaction locks it to sequence events, or to keep others from doing so.
create table callboard.sequencer (
  one      boolean primary key default true check (one),
  position bigint not null                   -- the feed's head
);
insert into callboard.sequencer (position) values (0);

-- The present run of the server, and the runs before it from which nothing can be lost any more. Whatever may lose the
-- end of the write-ahead log also empties this unlogged table: a crash (even of a single backend), a failover, the
-- restoration of a base backup. Outbox numbers and positions may then go back. A proper restart adds a row. A cold backup
-- has the rows of its time, so the runs that were lost with what came later are missing. A dump brings rows along, but
-- another transaction inserted them there, so \`xmin\` differs.
create unlogged table callboard.server_runs (
  started_at timestamptz primary key,        -- pg_postmaster_start_time()
  id         uuid not null,
  inserted   xid8 not null default pg_current_xact_id()
);

create table callboard.feed (                -- append only; rows are only ever added after the last position
  account_id text collate "C" not null,
  mode       text collate "C" not null,
  position   bigint not null,
  type       text collate "C" not null,
  event_id   uuid not null,
  primary key (account_id, mode, position)
);
create index feed_type on callboard.feed (account_id, mode, type, position);
create index feed_event on callboard.feed (account_id, mode, event_id);

-- The feed of an account and mode begins after this position, because retention has removed what was before.
create table callboard.feed_starts (
  account_id text collate "C" not null,
  mode       text collate "C" not null,
  after      bigint not null,
  primary key (account_id, mode)
);

-- Times at which the feed's head was noted, about a minute apart: all events up to \`position\` were published before
-- \`at\`. Both columns rise together, so nothing is noted while the clock is behind the last row.
create table callboard.feed_times (
  at       timestamptz primary key,
  position bigint not null
);

create table callboard.subscriptions (
  account_id      text collate "C" not null,
  mode            text collate "C" not null,
  id              uuid not null,
  own_id          text collate "C",          -- the public id, if the platform brought it along with an import; null: \`id\`
  import_digest   text collate "C",          -- keyed digest of an import's input; null if not imported
  source          text collate "C" not null check (source in ('api', 'dashboard')),
  identity        bytea,                     -- creating one with the same identity returns this subscription
  target_url      text not null,
  event_types     text[] not null,
  integration     text not null,
  external_ref    text,
  description     text,                      -- the account's own text
  api_version     text not null,
  secret          text not null,             -- encrypted
  former_secret   text,                      -- encrypted; signs too, beside the new secret, until it expires
  former_secret_expires_at timestamptz,
  signatures      jsonb,                     -- null: as Standard Webhooks says
  state           text collate "C" not null default 'active' check (state in ('active', 'disabled', 'removed')),
  disabled_reason text check (disabled_reason in ('gone', 'failing', 'key', 'account', 'platform')),
  ordering        text collate "C" not null default 'none' check (ordering in ('none', 'subject')),
  confirmed_by    uuid,                      -- the API key whose scopes and validity apply to the subscription
  personal_data   boolean,                   -- whether to send it while confirmed_by is null; null if created by a key
  -- The subscription's selections: \`event_types\` apply to the events after the position \`types_after\`, and
  -- \`previous_types\` to those after \`previous_after\` and up to \`types_after\`. Of the events up to \`previous_after\`, all
  -- of types in \`earlier_types\`, only those with a record are deliveries.
  types_after     bigint not null default 0,
  previous_types  text[] not null default '{}',
  previous_after  bigint not null default 0,
  earlier_types   text[] not null default '{}',
  responses_through uuid,                    -- retention has removed surplus responses of attempts up to this id
  created_at      timestamptz not null default callboard.clock(),
  changed_at      timestamptz not null default callboard.clock(), -- when the state last changed
  -- The text that is searched. Searching one stored text takes a fifth of the time that searching four columns takes.
  -- In the "C" collation, lower() changes only A to Z.
  searched        text collate "C" not null generated always as (lower((
    target_url || chr(31) || coalesce(external_ref, '') || chr(31) || integration || chr(31) || coalesce(description, '')
  ) collate "C")) stored,
  primary key (account_id, mode, id)
);
create unique index subscriptions_id on callboard.subscriptions (id); -- across accounts, as for keys
create unique index subscriptions_own_id on callboard.subscriptions (own_id) where own_id is not null;
create index subscriptions_imported on callboard.subscriptions (account_id, mode, import_digest)
  where import_digest is not null;
create unique index subscriptions_identity on callboard.subscriptions (account_id, mode, identity)
  where state <> 'removed' and identity is not null;
create index subscriptions_listed on callboard.subscriptions (account_id, mode, created_at desc, id desc)
  where state <> 'removed';
create index subscriptions_by_state on callboard.subscriptions (account_id, mode, state, id) where state <> 'removed';
create index subscriptions_key on callboard.subscriptions (account_id, confirmed_by) where state <> 'removed';
create index subscriptions_ordered on callboard.subscriptions (account_id, mode, id) where ordering = 'subject';
-- For the gauges, which count the disabled subscriptions. The index is small, because few subscriptions are disabled.
create index subscriptions_disabled on callboard.subscriptions (disabled_reason) where state = 'disabled';

-- The event types of active subscriptions. Sequencing finds the subscriptions for an event in this table. With up to
-- 100 subscriptions per type, that takes 16-31 microseconds; with a GIN index it took 16-113.
create table callboard.subscription_types (
  account_id      text collate "C" not null,
  mode            text collate "C" not null,
  type            text collate "C" not null,
  subscription_id uuid not null,
  primary key (account_id, mode, type, subscription_id)
);

-- Each subscription has one lane, with its place in the feed, its lease and its health. While a long transaction of the
-- platform holds back vacuum, dead versions of a lane's row pile up. The key includes the epoch, so that a lookup can
-- skip them (decision 010).
create table callboard.lanes (
  account_id      text collate "C" not null,
  mode            text collate "C" not null,
  subscription_id uuid not null,
  state           text collate "C" not null default 'idle' check (state in ('idle', 'leased', 'paused', 'disabled')),
  start           bigint not null,           -- the feed's head when the subscription was created
  settled_through bigint not null,           -- up to this position, every delivery is settled or in retries
  head            bigint not null,           -- last position of an event that matches the subscription
  began           bigint not null,           -- the feed's head when \`since\` was set
  wake_at         timestamptz,               -- when the lane is due, or its lease ends; null: no work
  -- An event is older than the subscription if it is visible in the snapshot \`since\` and was published no later than
  -- \`since_at\`. The snapshot alone is not enough after a dump is restored, because transaction ids then start again.
  -- Both are set again when the subscription is enabled or skips to now.
  since           pg_snapshot not null,
  since_at        timestamptz not null,
  start_since     pg_snapshot not null,      -- \`since\` when the subscription was created; never moves
  start_since_at  timestamptz not null,
  host            text collate "C" not null, -- name and port of the target
  worker          text collate "C",          -- id of the worker that has leased the lane
  lease_call      bigint,                    -- number of the worker's call that leased it (\`release\`)
  epoch           bigint not null default 0, -- rises with every lease; an outdated lease settles nothing
  claims          smallint not null default 0, -- how often the lane was leased since the last settle
  room            int not null default 0,     -- the most deliveries that the lane's last lease may contain
  nudged          boolean not null default false, -- whether work was added while the lane was leased
  skipped_epoch   bigint,                    -- epoch of the lease during which all pending deliveries were ended
  skipped_as      text collate "C",          -- how they ended: skipped or disabled
  leased_until    timestamptz,               -- end of the lease that a worker still holds on a disabled lane
  slow            boolean not null default false,
  breaker_failures int not null default 0,   -- failures in a row; many of them pause the lane
  failed_attempts int not null default 0,    -- since the last success; many of them disable the subscription
  failing_since   timestamptz,
  reported        boolean not null default false, -- whether a settle has reported that the lane fails
  hour            int,                       -- hours since 1970: the hour that the next three columns count
  hour_delivered  int not null default 0,
  hour_failed     int not null default 0,
  hour_ms         bigint not null default 0, -- how long these attempts took in total
  -- The last backfill; all null if there was none. Of the events at the positions (backfill_reached, backfill_to],
  -- those that are older than the subscription, and that were published at backfill_since or later, are left to send.
  backfill_state  text collate "C" check (backfill_state in ('running', 'done', 'cancelled')),
  backfill_since  timestamptz,
  backfill_started_at timestamptz,
  backfill_from   bigint,                    -- the lowest position after which a backfill ever began
  backfill_reached bigint,                   -- up to this position, every delivery is settled or in retries
  backfill_to     bigint,
  primary key (account_id, mode, subscription_id, epoch)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0);
-- Due lanes and expired leases have separate indexes. With a single index, a scan for due lanes would also read the
-- dead versions of ended leases: 23,000 blocks instead of 2,000 while a long transaction holds back vacuum.
create index lanes_due on callboard.lanes (wake_at, subscription_id) where state <> 'leased' and wake_at is not null;
create index lanes_leased on callboard.lanes (wake_at, subscription_id) where state = 'leased';
create index lanes_paused on callboard.lanes (wake_at) where state = 'paused'; -- for counting
create index lanes_failing on callboard.lanes (account_id, mode, subscription_id)
  where failing_since is not null and state <> 'disabled';
create index lanes_failing_since on callboard.lanes (failing_since)  -- for operators, over all accounts
  where failing_since is not null and state <> 'disabled';

-- The workers that run, one row each (decision 018).
create table callboard.workers (
  id                text collate "C" primary key,
  name              text not null,             -- for operators; several workers may have the same one
  started_at        timestamptz not null,
  beat_at           timestamptz not null,      -- written about once a second
  session           bigint,                    -- key of the advisory lock that the worker's own connection holds; null:
                                               -- it holds none
  server_started_at timestamptz not null,      -- start of the database server that wrote beat_at
  details           jsonb
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

create table callboard.lane_hours (          -- a lane's attempts in each past hour; hours without any have no row
  account_id      text collate "C" not null,
  mode            text collate "C" not null,
  subscription_id uuid not null,
  hour            int not null,
  delivered       int not null,
  failed          int not null,
  duration_ms     bigint not null default 0,
  primary key (account_id, mode, subscription_id, hour)
);

create table callboard.lane_days (           -- the same by day, in UTC; today's row grows when an hour ends
  account_id      text collate "C" not null,
  mode            text collate "C" not null,
  subscription_id uuid not null,
  day             int not null,
  delivered       int not null,
  failed          int not null,
  duration_ms     bigint not null,
  primary key (account_id, mode, subscription_id, day)
) with (fillfactor = 70);

-- Deliveries that will be attempted again, and those that wait for an earlier event of their subject.
create table callboard.retries (
  account_id      text collate "C" not null,
  mode            text collate "C" not null,
  subscription_id uuid not null,
  event_id        uuid not null,
  attempts        smallint not null,
  due_at          timestamptz,               -- null: waits for an earlier event of its subject
  subject         text collate "C",          -- the type and the id; null: the event no longer exists
  position        bigint,                    -- in the feed; null: not sequenced yet
  manual          boolean not null default false, -- resent after it had ended; later events do not wait for it
  asked_at        timestamptz,               -- when somebody resent this one delivery; it goes before all others
  resent_epoch    bigint,                    -- epoch of the lease during which the delivery was resent
  suspect         boolean not null default false, -- may crash a worker, so it is attempted alone
  redacted        boolean not null default false, -- attempted without personal data, so retried without it too
  primary key (account_id, mode, subscription_id, event_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0);
create index retries_due on callboard.retries (account_id, mode, subscription_id, due_at);
create index retries_asked on callboard.retries (account_id, mode, subscription_id, asked_at)
  where asked_at is not null;
create index retries_subject on callboard.retries (account_id, mode, subscription_id, subject, position)
  where not manual;
create index retries_attempted on callboard.retries (account_id, mode, subscription_id, coalesce(position, 0))
  where attempts > 0;
create index retries_unattempted on callboard.retries (account_id, mode, subscription_id, coalesce(position, 0))
  where attempts = 0;

-- For finding the failing deliveries of an event.
create index retries_event on callboard.retries (account_id, mode, event_id) where attempts > 0;

create table callboard.attempts (            -- append-only log
  account_id      text collate "C" not null,
  mode            text collate "C" not null,
  subscription_id uuid not null,
  id              uuid not null,
  event_id        uuid not null,
  number          smallint not null,
  outcome         text collate "C" not null,
  status          smallint,                  -- HTTP status; null: no response
  reason          text collate "C",
  started_at      timestamptz not null,
  duration_ms     int not null,
  response        text,
  primary key (account_id, mode, subscription_id, id)
);
alter table callboard.attempts alter column response set statistics 0; -- as for events
create index attempts_event on callboard.attempts (account_id, mode, subscription_id, event_id, id);
-- For the newest failures of an account. A successful attempt adds no entry.
create index attempts_failed on callboard.attempts (account_id, mode, id) where outcome not in ('delivered', 'expired');

-- Ranges of deliveries that ended without an attempt. A row covers all events of the types at positions in (after,
-- through], because the subscription's selections do not tell its types for ever.
create table callboard.ended_ranges (
  account_id      text collate "C" not null,
  mode            text collate "C" not null,
  subscription_id uuid not null,
  after           bigint not null,
  through         bigint not null,
  state           text collate "C" not null check (state in ('disabled', 'skipped', 'expired')),
  types           text[] not null,
  deliveries      bigint,                    -- number of deliveries; known only for \`expired\`
  ended_at        timestamptz not null default callboard.clock(),
  primary key (account_id, mode, subscription_id, after, through)
);
create index ended_ranges_after on callboard.ended_ranges (account_id, mode, subscription_id, state, after);
create index ended_ranges_through on callboard.ended_ranges (account_id, mode, subscription_id, state, through);

create table callboard.ended_deliveries (    -- deliveries that ended without success, one row each
  account_id      text collate "C" not null,
  mode            text collate "C" not null,
  subscription_id uuid not null,
  event_id        uuid not null,
  state           text collate "C" not null check (state in ('exhausted', 'disabled', 'skipped', 'expired')),
  attempts        smallint not null,
  position        bigint,                    -- in the feed; null: the event had none when it ended
  ended_at        timestamptz not null default callboard.clock(),
  primary key (account_id, mode, subscription_id, event_id)
);
create index ended_deliveries_position
  on callboard.ended_deliveries (account_id, mode, subscription_id, state, coalesce(position, 0));
create index ended_deliveries_unsequenced
  on callboard.ended_deliveries (account_id, mode, subscription_id, state, event_id) where position is null;
create index ended_deliveries_event on callboard.ended_deliveries (account_id, mode, event_id);

-- Events resent to a subscription although its selections do not include them: they are older than the
-- subscription, or of another type.
create table callboard.added_deliveries (
  account_id      text collate "C" not null,
  mode            text collate "C" not null,
  subscription_id uuid not null,
  event_id        uuid not null,
  primary key (account_id, mode, subscription_id, event_id)
);

-- The audit trail, append-only. Entries outlive their account, so that its deletion can be proved.
create table callboard.audit_entries (
  number          bigint generated always as identity primary key,
  at              timestamptz not null default callboard.clock(),
  actor           text collate "C" not null check (actor in ('key', 'viewer', 'operator', 'platform', 'worker')),
  actor_id        text collate "C",
  action          text collate "C" not null,
  account_id      text collate "C",          -- null: all accounts
  mode            text collate "C",          -- null: both modes
  object_id       uuid,                      -- of a key or subscription
  details         jsonb not null default '{}'
);
create index audit_entries_account on callboard.audit_entries (account_id, coalesce(mode, ''), number);
create index audit_entries_object on callboard.audit_entries (object_id, number) where object_id is not null;

-- One row: when retention runs next and how far it has got. The process that locks the row takes the next step.
create table callboard.retention (
  one             boolean primary key default true check (one),
  next_at         timestamptz not null,
  task            text collate "C" not null default 'events' check (task in ('events', 'logs', 'accounts')),
  account_id      text collate "C" not null default '', -- \`task\` continues after this key
  mode            text collate "C" not null default '',
  subscription_id uuid not null default '00000000-0000-0000-0000-000000000000',
  responses_from  timestamptz not null default '-infinity', -- responses of attempts before this have been removed
  responses_until timestamptz not null default '-infinity'  -- this pass removes the responses of attempts before this
);
insert into callboard.retention (next_at) values (callboard.clock() + interval '1 hour');
`,
}
