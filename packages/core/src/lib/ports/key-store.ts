import type { Mode } from '../accounts/mode.ts'
import type { RateLimits } from '../admission/rate-limit.ts'
import type { Scope } from '../keys/scopes.ts'
import type { AccountMode } from './account-store.ts'
import type { AuditDraft } from './audit-store.ts'

/** A key as stored, without its token. */
export interface KeyRecord extends AccountMode {
  readonly id: string
  readonly name: string
  /** The last four characters of its token, to recognise it by; undefined for an imported key. */
  readonly lastCharacters: string | undefined
  readonly scopes: readonly Scope[]
  /** The key's own rate limits; undefined for the platform's default. */
  readonly limits: RateLimits | undefined
  /** The format version that the key is pinned to, such as `2026-01-31`. The catalogue may no longer have it. */
  readonly apiVersion: string
  readonly createdAt: Date
  readonly expiresAt: Date | undefined
  readonly revokedAt: Date | undefined
  /** When the key was last used. It is updated at most once a minute, so it can be a minute out of date. */
  readonly lastUsedAt: Date | undefined
  /** The id of the key that replaced this key in a rotation. */
  readonly successorId: string | undefined
}

/** A revoked key. */
export interface RevokedKey extends KeyRecord {
  /** How many subscriptions this revocation disabled. */
  readonly disabledSubscriptions: number
}

export interface NewKey
  extends Omit<KeyRecord, 'createdAt' | 'revokedAt' | 'lastUsedAt' | 'successorId' | 'lastCharacters'> {
  /** SHA-256 of the whole token. */
  readonly tokenHash: Uint8Array
  /** The last four characters of the token. By default, only its hash is known. */
  readonly lastCharacters?: string | undefined
  /** Now by default. */
  readonly createdAt?: Date | undefined
}

export interface RotateKey {
  readonly accountId: string
  readonly keyId: string
  /** Inherits account, mode, name, scopes, limits and format version from the old key. */
  readonly successor: Pick<NewKey, 'id' | 'tokenHash' | 'lastCharacters' | 'expiresAt'>
  /** How long the old key stays valid, in milliseconds, unless its own `expiresAt` is earlier. */
  readonly overlapMs: number
}

export type IssueOutcome =
  /** `existing`: the account already has a key with this token in this mode. Nothing has changed. */
  | { readonly outcome: 'issued' | 'existing'; readonly key: KeyRecord }
  /** `exists`: this or another account already has a key with this id, or another account or mode has the token. */
  | { readonly outcome: 'exists' | 'limit_reached' | 'account_unknown' }

/** A place in the list of keys. */
export interface KeyPlace {
  readonly valid: boolean
  readonly id: string
}

export interface KeyPageRequest {
  readonly accountId: string
  /** Undefined for both modes. */
  readonly mode: Mode | undefined
  /** Only keys after this place; undefined to start with the first. */
  readonly after: KeyPlace | undefined
  readonly limit: number
}

export interface KeyPage {
  readonly keys: readonly KeyRecord[]
  /** The `after` of the next page; undefined on the last page. */
  readonly next: KeyPlace | undefined
}

/** A verb with an `entry` stores this audit entry together with the change, and only if something changes. */
export interface KeyStore {
  /**
   * Adds a key, or changes nothing and says why. Returns `limit_reached` when the key would be new, but the account
   * already has `limit` valid keys in both modes together. A rotated key counts until its overlap ends. The limit is
   * exact even when calls race, but rotations may exceed it.
   */
  issueKey(key: NewKey, limit: number, entry: AuditDraft): Promise<IssueOutcome>

  find(accountId: string, keyId: string): Promise<KeyRecord | undefined>

  /** Lists the account's keys: valid ones first, then revoked and expired ones, each newest first by id. */
  list(request: KeyPageRequest): Promise<KeyPage>

  /**
   * Revokes a key: once this resolves, no node admits a new request with it. In the same step, the active subscriptions
   * that depend on the key (`SubscriptionRecord.confirmedBy`) are disabled with reason `key`. A second call keeps the
   * first `revokedAt`. Returns undefined when the key does not exist. The store adds `disabledSubscriptions` to the
   * entry's details.
   */
  revokeKey(accountId: string, keyId: string, entry: AuditDraft): Promise<RevokedKey | undefined>

  /**
   * Issues a successor, lets the old key expire after the overlap and transfers its subscriptions, all in one atomic
   * step, so that they always have a valid key. A key that the old key itself replaced expires at once, so that at most
   * two keys of a chain of rotations are valid. Returns undefined and changes nothing for a key that is unknown,
   * revoked, expired or already rotated. When several calls race, exactly one succeeds.
   */
  rotateKey(request: RotateKey, entry: AuditDraft): Promise<KeyRecord | undefined>

  /** Pins a key to a format version. Returns undefined when the key does not exist. */
  setApiVersion(accountId: string, keyId: string, apiVersion: string, entry: AuditDraft): Promise<KeyRecord | undefined>
}
