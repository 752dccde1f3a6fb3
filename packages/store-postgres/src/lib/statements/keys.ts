import { PAGE, type Statement } from './statement.ts'

export interface KeyRow {
  id: string
  account_id: string
  mode: 'live' | 'test'
  name: string
  scopes: string[]
  window_seconds: number[] | null
  window_limits: number[] | null
  api_version: string
  created_at: number
  expires_at: number | null
  revoked_at: number | null
  last_used_at: number | null
  successor_id: string | null
}

/** `keyId` is a UUID. */
export interface ApiKeyKey {
  readonly accountId: string
  readonly keyId: string
}

export interface SuccessorKey extends ApiKeyKey {
  readonly successorId: string
}

const inMilliseconds = (column: string): string => `extract(epoch from ${column})::float8 * 1000 as ${column}`

const COLUMNS = `id::text as id, account_id, mode, name, scopes, window_seconds, window_limits, api_version,
  ${['created_at', 'expires_at', 'revoked_at', 'last_used_at'].map(inMilliseconds).join(',\n  ')},
  successor_id::text as successor_id`

export interface IssueKeyParameters extends ApiKeyKey {
  readonly mode: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly windowSeconds: readonly number[] | null
  readonly windowLimits: readonly number[] | null
  readonly apiVersion: string
  readonly expiresAt: string | null
  readonly tokenHash: Uint8Array
}

export const issueKey: Statement<KeyRow, IssueKeyParameters> = {
  name: 'issue-key',
  text: `
insert into callboard.api_keys
  (account_id, id, mode, name, scopes, window_seconds, window_limits, api_version, expires_at, token_hash)
select a.id, :keyId::uuid, :mode, :name, :scopes::text[], :windowSeconds::int[], :windowLimits::int[], :apiVersion,
  :expiresAt::timestamptz, :tokenHash
from callboard.accounts a where a.id = :accountId and a.deleted_at is null
on conflict (id) do nothing
returning ${COLUMNS}`,
}

/** Keys that are revoked, expired or rotated do not count. */
export const countKeys: Statement<{ n: number }, { accountId: string }> = {
  name: 'count-keys',
  text: `
select count(*)::int as n from callboard.api_keys
where account_id = :accountId and revoked_at is null and successor_id is null
  and (expires_at is null or expires_at > callboard.clock())`,
}

export const findKey: Statement<KeyRow, ApiKeyKey> = {
  name: 'find-key',
  text: `select ${COLUMNS} from callboard.api_keys where account_id = :accountId and id = :keyId::uuid`,
}

export const listKeys: Statement<KeyRow, { accountId: string }> = {
  ...PAGE,
  name: 'list-keys',
  text: `
select ${COLUMNS} from callboard.api_keys k where account_id = :accountId order by k.created_at desc, k.id desc`,
}

export const revokeKey: Statement<KeyRow, ApiKeyKey> = {
  name: 'revoke-key',
  text: `
update callboard.api_keys set revoked_at = coalesce(revoked_at, callboard.clock())
where account_id = :accountId and id = :keyId::uuid
returning ${COLUMNS}`,
}

export const setKeyVersion: Statement<KeyRow, ApiKeyKey & { apiVersion: string }> = {
  name: 'set-key-version',
  text: `
update callboard.api_keys set api_version = :apiVersion
where account_id = :accountId and id = :keyId::uuid
returning ${COLUMNS}`,
}

const CONFIRMED_BY_KEY = `account_id = :accountId and confirmed_by = :keyId::uuid
  and state = 'active' and source = 'api'`

/** The active subscriptions that a key confirmed. */
export const subscriptionsOfKey: Statement<{ mode: 'live' | 'test'; id: string }, ApiKeyKey> = {
  name: 'subscriptions-of-key',
  text: `select mode, id::text as id from callboard.subscriptions where ${CONFIRMED_BY_KEY} order by mode, id`,
}

export const countSubscriptionsOfKey: Statement<{ n: number }, ApiKeyKey> = {
  name: 'count-subscriptions-of-key',
  text: `select count(*)::int as n from callboard.subscriptions where ${CONFIRMED_BY_KEY}`,
}

export interface RotateKeyParameters extends SuccessorKey {
  readonly overlapMs: number
  readonly expiresAt: string | null
  readonly tokenHash: Uint8Array
}

/**
 * The lock on the old key's row decides which of two concurrent rotations wins: the second one finds that the key has a
 * successor, and gets no row.
 */
export const rotateKey: Statement<KeyRow, RotateKeyParameters> = {
  name: 'rotate-key',
  text: `
with old as (
  update callboard.api_keys
  set successor_id = :successorId::uuid,
    expires_at = least(expires_at, callboard.clock() + :overlapMs::float8 * interval '1 ms')
  where account_id = :accountId and id = :keyId::uuid
    and successor_id is null and revoked_at is null and (expires_at is null or expires_at > callboard.clock())
  returning *
)
insert into callboard.api_keys
  (account_id, id, mode, name, scopes, window_seconds, window_limits, api_version, expires_at, token_hash)
select account_id, :successorId::uuid, mode, name, scopes, window_seconds, window_limits, api_version,
  :expiresAt::timestamptz, :tokenHash
from old
returning ${COLUMNS}`,
}

/**
 * Moves a rotated key's subscriptions to its successor. This must be a separate statement, because a snapshot taken
 * before the key was locked could miss a subscription created by the transaction that held the lock before.
 */
export const handOver: Statement<{ id: string }, SuccessorKey> = {
  name: 'hand-over',
  text: `
update callboard.subscriptions set confirmed_by = :successorId::uuid
where account_id = :accountId and confirmed_by = :keyId::uuid and state <> 'removed'
returning id::text as id`,
}

/**
 * Finds the last key in a chain of rotations. The subscriptions that the first key confirmed belong to this last key
 * now.
 */
export const lastSuccessor: Statement<{ id: string }, ApiKeyKey> = {
  name: 'last-successor',
  text: `
with recursive chain as (
  select id, successor_id, 1 as depth from callboard.api_keys where account_id = :accountId and id = :keyId::uuid
  union all
  select k.id, k.successor_id, c.depth + 1
  from chain c join callboard.api_keys k on k.account_id = :accountId and k.id = c.successor_id
  where c.depth < 1000
)
select id::text as id from chain where successor_id is null`,
}
