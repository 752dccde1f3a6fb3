import type { Statement } from './statement.ts'

export interface KeyRow {
  id: string
  account_id: string
  mode: 'live' | 'test'
  name: string
  scopes: string[]
  window_seconds: number[] | null
  window_limits: number[] | null
  created_at: number
  expires_at: number | null
  revoked_at: number | null
  last_used_at: number | null
  successor_id: string | null
}

const COLUMNS = `id::text as id, account_id, mode, name, scopes, window_seconds, window_limits,
  extract(epoch from created_at)::float8 * 1000 as created_at, extract(epoch from expires_at)::float8 * 1000 as expires_at,
  extract(epoch from revoked_at)::float8 * 1000 as revoked_at, extract(epoch from last_used_at)::float8 * 1000 as last_used_at,
  successor_id::text as successor_id`

export const issueKey: Statement<KeyRow> = {
  name: 'issue-key',
  text: `
insert into callboard.api_keys (account_id, id, mode, name, scopes, window_seconds, window_limits, expires_at, token_hash)
select a.id, $2::uuid, $3, $4, $5::text[], $6::int[], $7::int[], $8::timestamptz, $9
from callboard.accounts a where a.id = $1 and a.deleted_at is null
on conflict (account_id, id) do nothing returning ${COLUMNS}`,
}

export const findKey: Statement<KeyRow> = {
  name: 'find-key',
  text: `select ${COLUMNS} from callboard.api_keys where account_id = $1 and id = $2::uuid`,
}

export const listKeys: Statement<KeyRow> = {
  name: 'list-keys',
  text: `select ${COLUMNS} from callboard.api_keys k where account_id = $1 order by k.created_at desc, k.id desc`,
}

export const revokeKey: Statement<KeyRow> = {
  name: 'revoke-key',
  text: `
update callboard.api_keys set revoked_at = coalesce(revoked_at, callboard.clock()) where account_id = $1 and id = $2::uuid
returning ${COLUMNS}`,
}

/** The subscriptions that a key confirmed and that are still active, for holding them. */
export const subscriptionsOfKey: Statement<{ mode: 'live' | 'test'; id: string }> = {
  name: 'subscriptions-of-key',
  text: `
select mode, id::text as id from callboard.subscriptions
where account_id = $1 and confirmed_by = $2::uuid and state = 'active' and source = 'api' order by mode, id`,
}

export const countSubscriptionsOfKey: Statement<{ n: number }> = {
  name: 'count-subscriptions-of-key',
  text: `
select count(*)::int as n from callboard.subscriptions
where account_id = $1 and confirmed_by = $2::uuid and state = 'active' and source = 'api'`,
}

/** The row lock on the old key lets one of two racing rotations through; the other finds a successor there and gets no row. */
export const rotateKey: Statement<KeyRow> = {
  name: 'rotate-key',
  text: `
with old as (
  update callboard.api_keys set successor_id = $3::uuid, expires_at = least(expires_at, callboard.clock() + $6::float8 * interval '1 ms')
  where account_id = $1 and id = $2::uuid and successor_id is null and revoked_at is null and (expires_at is null or expires_at > callboard.clock())
  returning *
)
insert into callboard.api_keys (account_id, id, mode, name, scopes, window_seconds, window_limits, expires_at, token_hash)
select account_id, $3::uuid, mode, name, scopes, window_seconds, window_limits, $5::timestamptz, $4 from old
returning ${COLUMNS}`,
}

/**
 * Hands a rotated key's subscriptions to its successor: a statement of its own, because one that waited for the key's lock
 * does not see the subscription that was made by whom it waited for.
 */
export const handOver: Statement<{ id: string }> = {
  name: 'hand-over',
  text: `
update callboard.subscriptions set confirmed_by = $3::uuid
where account_id = $1 and confirmed_by = $2::uuid and state <> 'removed' returning id::text as id`,
}

/** The end of a key's chain of successors: the key that holds what it confirmed. */
export const lastSuccessor: Statement<{ id: string }> = {
  name: 'last-successor',
  text: `
with recursive chain as (
  select id, successor_id, 1 as depth from callboard.api_keys where account_id = $1 and id = $2::uuid
  union all
  select k.id, k.successor_id, c.depth + 1 from chain c join callboard.api_keys k on k.account_id = $1 and k.id = c.successor_id where c.depth < 1000
)
select id::text as id from chain where successor_id is null`,
}
