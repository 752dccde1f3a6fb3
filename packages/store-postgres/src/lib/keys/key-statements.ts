import { recordEntry } from '../audit/record-entry.ts'
import { PAGE, type Statement } from '../sql/statement.ts'

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
  last_characters: string | null
}

/** `keyId` is a UUID. */
export interface ApiKeyKey {
  readonly accountId: string
  readonly keyId: string
}

/** SQL that tests whether a key is valid. */
const IS_VALID = 'revoked_at is null and (expires_at is null or expires_at > callboard.clock())'

const inMilliseconds = (column: string): string => `extract(epoch from ${column})::float8 * 1000 as ${column}`

/** SQL for the columns of a {@link KeyRow}. */
export const KEY_COLUMNS: string = `id::text as id, account_id, mode, name, scopes, window_seconds, window_limits, api_version,
  ${['created_at', 'expires_at', 'revoked_at', 'last_used_at'].map(inMilliseconds).join(',\n  ')},
  successor_id::text as successor_id, last_characters`

export interface IssueKeyParameters extends ApiKeyKey {
  readonly mode: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly windowSeconds: readonly number[] | null
  readonly windowLimits: readonly number[] | null
  readonly apiVersion: string
  readonly expiresAt: string | null
  readonly tokenHash: Uint8Array
  readonly lastCharacters: string | null
  /** Null for now. */
  readonly createdAt: string | null
  readonly entry: string
}

export const issueKey: Statement<KeyRow, IssueKeyParameters> = {
  name: 'issue-key',
  text: `
with issued as (
  insert into callboard.api_keys
    (account_id, id, mode, name, scopes, window_seconds, window_limits, api_version, expires_at, token_hash,
      last_characters, created_at)
  select a.id, :keyId::uuid, :mode, :name, :scopes::text[], :windowSeconds::int[], :windowLimits::int[], :apiVersion,
    :expiresAt::timestamptz, :tokenHash, :lastCharacters, coalesce(:createdAt::timestamptz, callboard.clock())
  from callboard.accounts a where a.id = :accountId and a.deleted_at is null
  on conflict do nothing
  returning *
),
recorded as (
  ${recordEntry(':entry::jsonb', 'issued')}
)
select ${KEY_COLUMNS} from issued`,
}

/** Counts the valid keys. A rotated key is valid until its overlap ends. */
export const countKeys: Statement<{ n: number }, { accountId: string }> = {
  name: 'count-keys',
  text: `
select count(*)::int as n from callboard.api_keys
where account_id = :accountId and ${IS_VALID}`,
}

export const findKey: Statement<KeyRow, ApiKeyKey> = {
  name: 'find-key',
  text: `select ${KEY_COLUMNS} from callboard.api_keys where account_id = :accountId and id = :keyId::uuid`,
}

export const findKeyByToken: Statement<KeyRow, { tokenHash: Uint8Array }> = {
  name: 'find-key-by-token',
  text: `select ${KEY_COLUMNS} from callboard.api_keys where token_hash = :tokenHash`,
}

export interface ListKeysParameters {
  readonly accountId: string
  readonly mode: string | null
  /** The place after which the page starts; both null for the first page. */
  readonly afterValid: boolean | null
  readonly afterId: string | null
  readonly limit: number
}

/** Reads all keys of the account, whose number retention keeps within bounds. */
export const listKeys: Statement<KeyRow & { valid: boolean }, ListKeysParameters> = {
  ...PAGE,
  name: 'list-keys',
  text: `
select ${KEY_COLUMNS}, valid from (
  select *, ${IS_VALID} as valid from callboard.api_keys
  where account_id = :accountId and (:mode::text is null or mode = :mode)
) k
where :afterId::uuid is null or (valid, k.id) < (:afterValid::boolean, :afterId::uuid)
order by valid desc, k.id desc limit :limit::int`,
}

/**
 * Removes keys that became invalid before the horizon, with their rate-limit windows. A key stays while a subscription
 * that is not removed depends on it, because only a valid key of the account may enable such a subscription again.
 */
export const retainKeys: Statement<{ n: number }, { readonly horizonMs: number; readonly limit: number }> = {
  name: 'retain-keys',
  text: `
with old as materialized (
  select k.account_id, k.id from callboard.api_keys k
  where least(k.revoked_at, k.expires_at) < callboard.clock() - :horizonMs::float8 * interval '1 ms'
    and not exists (
      select from callboard.subscriptions s
      where s.account_id = k.account_id and s.confirmed_by = k.id and s.state <> 'removed'
    )
  limit :limit::int
),
windows_gone as (
  delete from callboard.rate_windows w using old where w.account_id = old.account_id and w.key_id = old.id
),
gone as (
  delete from callboard.api_keys k using old where k.account_id = old.account_id and k.id = old.id
)
select count(*)::int as n from old`,
}

export const setKeyVersion: Statement<KeyRow, ApiKeyKey & { apiVersion: string; entry: string }> = {
  name: 'set-key-version',
  text: `
with before as materialized (
  select api_version from callboard.api_keys where account_id = :accountId and id = :keyId::uuid for no key update
),
pinned as (
  update callboard.api_keys k set api_version = :apiVersion from before
  where k.account_id = :accountId and k.id = :keyId::uuid
  returning k.*, before.api_version <> :apiVersion as changed
),
recorded as (
  ${recordEntry(':entry::jsonb', 'pinned')}
  where pinned.changed
)
select ${KEY_COLUMNS} from pinned`,
}
