-- What operators do to what is kept: erasure and retention. Only adds, so that workers of the version before go on.
-- Publishers wait while an index of events is built. With many events kept, build it first, by
-- create index concurrently if not exists events_person on callboard.events (account_id, mode, person_id) where person_id is not null;

create index if not exists events_person on callboard.events (account_id, mode, person_id) where person_id is not null;

-- One row: whose turn it is, and where retention has got to. Its lock elects the one that does the next step.
create table callboard.retention (
  one             boolean primary key default true check (one),
  next_at         timestamptz not null,      -- when a worker is to run it next
  task            text collate "C" not null default 'events' check (task in ('events', 'logs')),
  account_id      text collate "C" not null default '', -- the last of the task that is done with
  mode            text collate "C" not null default '',
  subscription_id uuid not null default '00000000-0000-0000-0000-000000000000',
  responses_from  timestamptz not null default '-infinity', -- responses of attempts before it are gone
  responses_until timestamptz not null default '-infinity'  -- and this pass takes them up to here
);
insert into callboard.retention (next_at) values (callboard.clock() + interval '1 hour');

alter table callboard.ended_ranges add column deliveries bigint; -- how many, of those that retention has overtaken
