import { recordEntry, withDetails } from '../audit/record-entry.ts'
import type { DatabaseFunction } from '../sql/database-function.ts'
import { indented } from '../sql/indented.ts'
import type { Statement } from '../sql/statement.ts'
import { type ApiKeyKey, KEY_COLUMNS, type KeyRow } from './key-statements.ts'

export const revokeKey: Statement<KeyRow & { disabled: number }, ApiKeyKey & { entry: string }> = {
  name: 'revoke-key',
  text: `
select ${KEY_COLUMNS}, disabled
from (select (r.revoked).*, r.disabled from callboard.revoke_key(:accountId, :keyId::uuid, :entry::jsonb) r) k`,
}

/**
 * Revokes a key and disables the active subscriptions that it confirmed, in key order. Returns no row if the key does
 * not exist. The subscriptions are read once the key is locked, because they may include one that was created by the
 * transaction that held the lock before.
 */
export const revokeKeyFunction: DatabaseFunction = {
  name: 'revoke_key',
  text: `
create or replace function callboard.revoke_key(p_account_id text, p_key_id uuid, p_entry jsonb)
returns table (revoked callboard.api_keys, disabled int)
language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan set lock_timeout = '5s' as $$
#variable_conflict use_column
declare
  is_new boolean;
  own callboard.subscriptions;
begin
  update callboard.api_keys k set revoked_at = callboard.clock()
  where k.account_id = p_account_id and k.id = p_key_id and k.revoked_at is null
  returning k.* into revoked;
  is_new := found;
  if not is_new then
    select k.* into revoked from callboard.api_keys k
    where k.account_id = p_account_id and k.id = p_key_id for no key update;
    if not found then
      return;
    end if;
  end if;

  disabled := 0;
  for own in
    select s.* from callboard.subscriptions s
    where s.account_id = p_account_id and s.confirmed_by = p_key_id and s.state = 'active' and s.source = 'api'
    order by s.mode, s.id
  loop
    disabled := disabled + callboard.disable_subscription(p_account_id, own.mode, own.id, 'key', '{}')::int;
  end loop;
  if is_new or disabled > 0 then
    ${indented(4, recordEntry(withDetails('p_entry', "jsonb_build_object('disabledSubscriptions', disabled)")))};
  end if;
  return next;
end $$`,
}
