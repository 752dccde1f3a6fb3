-- Deliveries by state, in the order of the feed, without stepping over all others. Only adds: what workers of the version before write has
-- no place, and is looked up where it is listed. The indexes are of what failed or ended alone: a delivery that succeeds writes to none.

alter table callboard.ended_deliveries add column position bigint; -- in the feed; null: not placed when it ended, or from before this column
create index ended_deliveries_placed on callboard.ended_deliveries (account_id, mode, subscription_id, state, coalesce(position, 0));
create index retries_tried on callboard.retries (account_id, mode, subscription_id, coalesce(position, 0)) where tries > 0;
create index retries_untried on callboard.retries (account_id, mode, subscription_id, coalesce(position, 0)) where tries = 0;
