import type { DatabaseFunction } from '../sql/database-function.ts'

/**
 * Whether the caller's statement is part of a transaction that has a transaction id. A transaction gets an id when it
 * first writes. If there is none, the function assigns one, so a second call within the same transaction returns true.
 * Outside a transaction, each statement is a transaction of its own, so a second call returns false again. Nothing else
 * tells the two cases apart: `begin` and an autocommitted statement look the same to a function.
 *
 * A standby assigns no ids. It throws the error of a server that does not accept connections, because an outdated
 * address leads to it after a failover.
 */
export const inTransactionFunction: DatabaseFunction = {
  name: 'in_transaction',
  text: `
create or replace function callboard.in_transaction() returns boolean language plpgsql as $$
begin
  if pg_current_xact_id_if_assigned() is not null then
    return true;
  end if;
  if pg_is_in_recovery() then
    raise exception 'this server is a standby' using errcode = 'cannot_connect_now';
  end if;
  perform pg_current_xact_id();
  return false;
end $$`,
}
