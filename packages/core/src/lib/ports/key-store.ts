import type { Mode } from '../accounts/mode.ts'
import type { RateLimits } from '../admission/rate-limit.ts'
import type { Scope } from '../keys/scopes.ts'

/** A key as it is kept: everything but the token. */
export interface KeyRecord {
  readonly id: string
  readonly accountId: string
  readonly mode: Mode
  readonly name: string
  readonly scopes: readonly Scope[]
  /** Undefined: the platform's default windows. */
  readonly limits: RateLimits | undefined
  readonly createdAt: Date
  readonly expiresAt: Date | undefined
  readonly revokedAt: Date | undefined
  /** Sampled: at most a minute older than the truth. */
  readonly lastUsedAt: Date | undefined
  /** The key that took over when this one was rotated. */
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
  /** Takes account, mode, name, scopes and limits from the old key. */
  readonly successor: { readonly id: string; readonly tokenHash: Uint8Array; readonly expiresAt: Date | undefined }
  /** How long the old key stays valid, at most; an earlier expiry of its own stands. */
  readonly overlapMs: number
}

export interface KeyStore {
  /** Adds a key. Undefined, and nothing changes, when there is no such account, or a key of this id in it. */
  issue(key: NewKey): Promise<KeyRecord | undefined>

  find(accountId: string, keyId: string): Promise<KeyRecord | undefined>

  /** All keys of the account, newest first, revoked and expired ones included. */
  list(accountId: string): Promise<KeyRecord[]>

  /** How many active subscriptions the key confirms: what revoking it would hold. */
  countSubscriptions(accountId: string, keyId: string): Promise<number>

  /**
   * Ends a key: no request that starts after this resolves is admitted with it, on any node. In the same step its
   * subscriptions are held (`disabled`, reason `key`). Revoking twice keeps the first time. Undefined when unknown.
   */
  revoke(accountId: string, keyId: string): Promise<KeyRecord | undefined>

  /**
   * Issues a successor, lets the old key run out after the overlap and hands its subscriptions over, in one step:
   * nobody sees a moment at which the subscriptions have no valid key. Of two racing calls one wins; the other, as any
   * call on a key that is revoked, expired or already rotated, answers undefined and changes nothing.
   */
  rotate(request: RotateKey): Promise<KeyRecord | undefined>
}
