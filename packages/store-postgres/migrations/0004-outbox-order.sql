-- The outbox is emptied in the order in which events were queued, not in that of their ids: a pass that cannot take all
-- would otherwise leave a subject's earlier event behind a later one whose id is lower (a publisher's own, or another node's).

alter table callboard.outbox add column queued bigint generated always as identity;
alter table callboard.outbox drop constraint outbox_pkey, add primary key (shard, queued);
