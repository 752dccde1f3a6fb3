-- What operators and accounts can do with deliveries: lists, resends, skipping, an order within a subject. Only adds, so
-- that workers of the version before go on. The indexes are built while nothing is published.

alter table callboard.subscriptions
  add column ordering text collate "C" not null default 'none' check (ordering in ('none', 'subject'));

alter table callboard.lanes
  add column start          bigint not null default 0, -- the feed's position when the subscription was made
  add column start_since    pg_snapshot,               -- as since and since_at, but never moved: which events were there before
  add column start_since_at timestamptz,               -- the subscription; null: since and since_at tell
  add column skipped_epoch  bigint;                    -- the lease during which somebody skipped to now

alter table callboard.retries
  alter column due_at drop not null,                   -- null: waits for an earlier event of its subject
  add column manual       boolean not null default false, -- sent again by hand after it had ended: keeps nobody waiting
  add column resent_epoch bigint,                      -- the lease during which somebody asked for it by hand
  add column subject      text collate "C",            -- subject type and id; null: from before this column, or the event is gone
  add column position     bigint;                      -- in the feed; null: not placed yet
create index retries_subject on callboard.retries (account_id, mode, subscription_id, subject, position) where not manual;
create index subscriptions_ordered on callboard.subscriptions (account_id, mode, id) where ordering = 'subject';

-- Events sent to a subscription by hand that its share of the feed does not contain: from before it, or of another type.
create table callboard.added_deliveries (
  account_id      text collate "C" not null,
  mode            text collate "C" not null,
  subscription_id uuid not null,
  event_id        uuid not null,
  primary key (account_id, mode, subscription_id, event_id)
);

create index feed_event on callboard.feed (account_id, mode, event_id);
create index attempts_event on callboard.attempts (account_id, mode, subscription_id, event_id, id);
