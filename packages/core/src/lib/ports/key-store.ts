import type { Mode } from '../accounts/mode.ts'
import type { RateLimits } from '../admission/rate-limit.ts'
import type { Scope } from '../keys/scopes.ts'

/** A key as stored, without its token. */
export interface KeyRecord {
  readonly id: string
  readonly accountId: string
  readonly mode: Mode
  readonly name: string
  readonly scopes: readonly Scope[]
  /** The key's own rate limits; undefined for the platform's default. */
  readonly limits: RateLimits | undefined
  readonly createdAt: Date
  readonly expiresAt: Date | undefined
  readonly revokedAt: Date | undefined
  /** Sampled, so up to a minute behind. */
  readonly lastUsedAt: Date | undefined
  /** The key that replaced this one when it was rotated. */
  readonly successorId: string | undefined
}

export interface NewKey {
  readonly id: string
  readonly accountId: string
  readonly mode: Mode
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly limits: RateLimits | undefined
  readonly expiresAt: Date | undefined
  /** SHA-256 of the whole token. */
  readonly tokenHash: Uint8Array
}

export interface RotateKey {
  readonly accountId: string
  readonly keyId: string
  /** Inherits account, mode, name, scopes and limits from the old key. */
  readonly successor: { readonly id: string; readonly tokenHash: Uint8Array; readonly expiresAt: Date | undefined }
  /** How long the old key stays valid, at most; it may expire earlier by itself. */
  readonly overlapMs: number
}

export interface KeyStore {
  /** Adds a key. Undefined, and nothing changes, when the account does not exist or already has a key with this id. */
  issue(key: NewKey): Promise<KeyRecord | undefined>

  find(accountId: string, keyId: string): Promise<KeyRecord | undefined>

  /** All keys of the account, newest first, revoked and expired ones included. */
  list(accountId: string): Promise<KeyRecord[]>

  /** Counts the active subscriptions that the key confirms, which revoking it would disable. */
  countSubscriptions(accountId: string, keyId: string): Promise<number>

  /**
   * Revokes a key: no request that starts after this resolves is admitted with it, on any node. Its active
   * subscriptions are disabled with reason `key` in the same step. A second call keeps the first `revokedAt`. Undefined
   * when the key does not exist.
   */
  revoke(accountId: string, keyId: string): Promise<KeyRecord | undefined>

  /**
   * Issues a successor, lets the old key expire after the overlap and hands over its subscriptions, in one atomic step:
   * at no moment are the subscriptions without a valid key. One of several racing calls wins. The others return
   * undefined and change nothing, as does any call for a key that is unknown, revoked, expired or already rotated.
   */
  rotate(request: RotateKey): Promise<KeyRecord | undefined>
}
