import type { DatabaseFunction } from '../sql/database-function.ts'

/**
 * Returns the id of a key, or of its latest successor if it was rotated: the subscriptions that the key confirmed
 * belong to that one now. Locks the key, so that no rotation moves its subscriptions before the transaction has
 * confirmed another one. Returns null for null.
 */
export const currentKeyFunction: DatabaseFunction = {
  name: 'current_key',
  text: `
create or replace function callboard.current_key(p_account_id text, p_key_id uuid) returns uuid language plpgsql as $$
declare
  last uuid := p_key_id;
  successor uuid;
begin
  perform from callboard.api_keys k where k.account_id = p_account_id and k.id = p_key_id for share;
  loop
    select k.successor_id into successor from callboard.api_keys k where k.account_id = p_account_id and k.id = last;
    exit when successor is null;
    last := successor;
  end loop;
  return last;
end $$`,
}
