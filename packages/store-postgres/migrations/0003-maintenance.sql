-- What operators do to what is kept: erasure. Only adds, so that workers of the version before go on.
-- Publishers wait while an index of events is built. With many events kept, build it first, by
-- create index concurrently if not exists events_person on callboard.events (account_id, mode, person_id) where person_id is not null;

create index if not exists events_person on callboard.events (account_id, mode, person_id) where person_id is not null;
