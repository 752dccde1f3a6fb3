-- Callboard's tables. Every statement names the schema `callboard`; migrate({ schema }) puts another name in its place.
-- Measurements behind the layout: schema.md. Text keys are collate "C"; account_id and mode lead every key.

create schema if not exists callboard;

-- The one place where SQL reads the time, so that tests can move it. Declared stable (it is, within a statement's meaning)
-- because a volatile function could not be an index condition.
create function callboard.clock() returns timestamptz language sql stable as $$ select clock_timestamp() $$;

create table callboard.accounts (
  id          text collate "C" primary key,
  name        text not null,
  created_at  timestamptz not null default callboard.clock(),
  deleted_at  timestamptz                    -- set first when an account is deleted: its keys stop, nothing more is published.
                                             -- The row stays, without its name: an id is never given out again
);

create table callboard.api_keys (
  account_id     text collate "C" not null,
  id             uuid not null,
  mode           text collate "C" not null check (mode in ('live', 'test')),
  name           text not null,
  scopes         text[] not null,
  token_hash     bytea not null,             -- SHA-256 of the whole token: 256 random bits need no slow hash
  window_seconds int[],                      -- null: the platform's default windows
  window_limits  int[],
  created_at     timestamptz not null default callboard.clock(),
  expires_at     timestamptz,
  revoked_at     timestamptz,
  last_used_at   timestamptz,                -- sampled: written at most once a minute
  successor_id   uuid,
  primary key (account_id, id)
) with (fillfactor = 80);
create unique index api_keys_token_hash on callboard.api_keys (token_hash);

-- Three windows a key. Unlogged: after a crash of the database the windows start anew, which costs nobody a request.
create unlogged table callboard.rate_windows (
  key_id uuid primary key,
  start1 bigint not null, used1 int not null,
  start2 bigint not null, used2 int not null,
  start3 bigint not null, used3 int not null
) with (fillfactor = 25);

create table callboard.subjects (            -- the counter behind subject.sequence; never purged
  account_id text collate "C" not null,
  mode       text collate "C" not null,
  type       text collate "C" not null,
  id         text collate "C" not null,
  last       bigint not null,
  primary key (account_id, mode, type, id)
) with (fillfactor = 50);

create table callboard.events (              -- written in the platform's transaction, append only
  account_id      text collate "C" not null,
  mode            text collate "C" not null,
  id              uuid not null,
  type            text collate "C" not null,
  occurred_at     timestamptz not null,
  published_at    timestamptz not null default callboard.clock(),
  xid             xid8 not null default pg_current_xact_id(),  -- tells a new subscription which events were there before it
  subject_type    text collate "C" not null,
  subject_id      text collate "C" not null,
  sequence        bigint not null,
  idempotency_key text collate "C",
  digest          text,                      -- keyed digest of the publisher's input, where it may be published again
  body            text not null,             -- the envelope without personal data, sent byte for byte
  patch           text,                      -- what splices the personal data back in; null once erased
  fingerprint     text collate "C" not null, -- of the personal-data paths the body was redacted with
  person_id       text collate "C",
  primary key (account_id, mode, id)
);
create index events_page on callboard.events (account_id, mode, occurred_at desc, id desc);
-- Without it a page of a rare type reads the whole account: 0.94 s against 85 microseconds, 1 M events.
create index events_type_page on callboard.events (account_id, mode, type, occurred_at desc, id desc);
create unique index events_idempotency on callboard.events (account_id, mode, idempotency_key) where idempotency_key is not null;

create table callboard.outbox (              -- written with the event; emptied by the sequencer
  shard      smallint not null default 0,
  event_id   uuid not null,
  account_id text collate "C" not null,
  mode       text collate "C" not null,
  type       text collate "C" not null,
  primary key (shard, event_id, account_id, mode)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);

create table callboard.sequencers (          -- one row a shard; its lock elects the one sequencer
  shard    smallint primary key,
  position bigint not null
);
insert into callboard.sequencers values (0, 0);

create table callboard.feed (                -- append only; positions are in the order of commit
  account_id text collate "C" not null,
  mode       text collate "C" not null,
  position   bigint not null,
  type       text collate "C" not null,
  event_id   uuid not null,
  primary key (account_id, mode, position)
);
create index feed_type on callboard.feed (account_id, mode, type, position);

create table callboard.subscriptions (
  account_id      text collate "C" not null,
  mode            text collate "C" not null,
  id              uuid not null,
  source          text collate "C" not null check (source in ('api', 'dashboard')),
  identity        bytea,                     -- digest of what makes two the same; null: never the same as another
  target_url      text not null,
  event_types     text[] not null,
  integration     text not null,
  external_ref    text,
  api_version     text not null,
  secret          text not null,             -- sealed
  former_secret   text,                      -- sealed; signs beside the other until it expires
  former_secret_expires_at timestamptz,
  state           text collate "C" not null default 'active' check (state in ('active', 'disabled', 'removed')),
  disabled_reason text check (disabled_reason in ('gone', 'failing', 'key', 'account', 'platform')),
  confirmed_by    uuid,                      -- the key whose scope and validity count
  personal_data   boolean,                   -- the explicit choice of one made in the dashboard
  created_at      timestamptz not null default callboard.clock(),
  changed_at      timestamptz not null default callboard.clock(),
  primary key (account_id, mode, id)
);
create unique index subscriptions_identity on callboard.subscriptions (account_id, mode, identity) where state <> 'removed' and identity is not null;
create index subscriptions_listed on callboard.subscriptions (account_id, mode, created_at desc, id desc) where state <> 'removed';
create index subscriptions_key on callboard.subscriptions (account_id, confirmed_by) where state <> 'removed';

create table callboard.subscription_types (  -- the active ones, for matching: 16-31 microseconds up to 100 a type, against 16-113 with GIN
  account_id      text collate "C" not null,
  mode            text collate "C" not null,
  type            text collate "C" not null,
  subscription_id uuid not null,
  primary key (account_id, mode, type, subscription_id)
);

create table callboard.lanes (               -- one a subscription: cursor, ownership, health
  account_id      text collate "C" not null,
  mode            text collate "C" not null,
  subscription_id uuid not null,
  state           text collate "C" not null default 'idle' check (state in ('idle', 'leased', 'paused', 'disabled')),
  cursor          bigint not null,           -- everything in the feed up to here is settled or in retries
  head            bigint not null,           -- last matching position that the sequencer placed
  wake_at         timestamptz,               -- when to look; leased: when the lease ends; null: nothing to do
  since           pg_snapshot not null,      -- events that were visible in it are older than the subscription …
  since_at        timestamptz not null,      -- … if they were published by then (so that a restored dump excludes nothing new)
  worker          text,
  epoch           bigint not null default 0,    -- fencing token; see LaneLease.epoch
  claims          smallint not null default 0, -- leases since the last settle
  nudged          boolean not null default false, -- somebody added work while it was leased
  slow            boolean not null default false,
  failures        int not null default 0,    -- consecutive, for the breaker
  failed_tries    int not null default 0,    -- since the last success, for the rule that disables
  failing_since   timestamptz,
  primary key (account_id, mode, subscription_id)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
create index lanes_wake on callboard.lanes (slow, wake_at) where wake_at is not null;

create table callboard.retries (             -- only deliveries whose first try failed
  account_id      text collate "C" not null,
  mode            text collate "C" not null,
  subscription_id uuid not null,
  event_id        uuid not null,
  tries           smallint not null,
  due_at          timestamptz not null,
  suspect         boolean not null default false, -- ended its worker before: tried alone, its try written down first
  redacted        boolean not null default false, -- was tried without personal data, and stays without it
  primary key (account_id, mode, subscription_id, event_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
create index retries_due on callboard.retries (account_id, mode, subscription_id, due_at);

create table callboard.attempts (            -- append only log
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

create table callboard.ended_ranges (        -- deliveries that ended without a try: of a subscription's events, those placed in (after, through]
  account_id      text collate "C" not null,
  mode            text collate "C" not null,
  subscription_id uuid not null,
  after           bigint not null,
  through         bigint not null,
  state           text collate "C" not null check (state in ('disabled', 'skipped', 'expired')),
  ended_at        timestamptz not null default callboard.clock(),
  primary key (account_id, mode, subscription_id, after, through)
);

create table callboard.ended_deliveries (    -- deliveries that ended without success, one by one
  account_id      text collate "C" not null,
  mode            text collate "C" not null,
  subscription_id uuid not null,
  event_id        uuid not null,
  state           text collate "C" not null check (state in ('exhausted', 'disabled', 'skipped', 'expired')),
  tries           smallint not null,
  ended_at        timestamptz not null default callboard.clock(),
  primary key (account_id, mode, subscription_id, event_id)
);
