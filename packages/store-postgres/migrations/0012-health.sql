-- How subscriptions do, for people who look at many at once. Only adds, so that workers of the version before go on; they do not count.

-- Attempts of one hour, counted where the lane is written anyway (decision 014); `hour` is the number of the hour since 1970.
alter table callboard.lanes
  add column hour           int,
  add column hour_delivered int not null default 0,
  add column hour_failed    int not null default 0;

create table callboard.lane_hours (          -- the hours before, of lanes that had attempts in them
  account_id      text collate "C" not null,
  mode            text collate "C" not null,
  subscription_id uuid not null,
  hour            int not null,
  delivered       int not null,
  failed          int not null,
  primary key (account_id, mode, subscription_id, hour)
);

-- Pages of subscriptions, newest first, of one state or of both.
create index subscriptions_by_state on callboard.subscriptions (account_id, mode, state, id) where state <> 'removed';
-- Those that fail. A lane that does not fail writes nothing to it.
create index lanes_failing on callboard.lanes (account_id, mode, subscription_id) where failing_since is not null and state <> 'disabled';
