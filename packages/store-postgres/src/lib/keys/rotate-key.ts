import { recordEntry } from '../audit/record-entry.ts'
import type { DatabaseFunction } from '../sql/database-function.ts'
import type { Statement } from '../sql/statement.ts'
import { type ApiKeyKey, KEY_COLUMNS, type KeyRow } from './key-statements.ts'

export interface RotateKeyParameters extends ApiKeyKey {
  readonly overlapMs: number
  readonly successorId: string
  readonly tokenHash: Uint8Array
  readonly lastCharacters: string | null
  readonly expiresAt: string | null
  readonly entry: string
}

export const rotateKey: Statement<KeyRow, RotateKeyParameters> = {
  name: 'rotate-key',
  text: `
select ${KEY_COLUMNS}
from callboard.rotate_key(
  :accountId, :keyId::uuid, :overlapMs::float8, :successorId::uuid, :tokenHash, :lastCharacters,
  :expiresAt::timestamptz, :entry::jsonb
)`,
}

/**
 * Issues a key's successor and moves the key's subscriptions to it. Also ends the key that the old key itself replaced.
 * Returns no row if the key cannot be rotated.
 *
 * The lock on the old key's row decides which of two concurrent rotations wins: the second one finds that the key has a
 * successor. The subscriptions are read once that lock is granted, because they may include one that was created by the
 * transaction that held the lock before.
 */
export const rotateKeyFunction: DatabaseFunction = {
  name: 'rotate_key',
  text: `
create or replace function callboard.rotate_key(
  p_account_id text, p_id uuid, p_overlap_ms float8, p_successor_id uuid, p_token_hash bytea,
  p_last_characters text, p_expires_at timestamptz, p_entry jsonb
) returns setof callboard.api_keys language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan set lock_timeout = '5s' as $$
declare
  old callboard.api_keys;
begin
  update callboard.api_keys k
  set successor_id = p_successor_id,
    expires_at = least(k.expires_at, callboard.clock() + p_overlap_ms * interval '1 ms')
  where k.account_id = p_account_id and k.id = p_id and k.successor_id is null
    and k.revoked_at is null and (k.expires_at is null or k.expires_at > callboard.clock())
  returning * into old;
  if not found then
    return;
  end if;

  update callboard.api_keys k set expires_at = callboard.clock()
  where k.account_id = p_account_id and k.successor_id = p_id
    and k.revoked_at is null and k.expires_at > callboard.clock();

  update callboard.subscriptions s set confirmed_by = p_successor_id
  where s.account_id = p_account_id and s.confirmed_by = p_id and s.state <> 'removed';

  ${recordEntry('p_entry')};

  return query
    insert into callboard.api_keys
      (account_id, id, mode, name, scopes, window_seconds, window_limits, api_version, expires_at, token_hash,
        last_characters)
    values (p_account_id, p_successor_id, old.mode, old.name, old.scopes, old.window_seconds, old.window_limits,
      old.api_version, p_expires_at, p_token_hash, p_last_characters)
    returning *;
end $$`,
}
