import { assertAccountId, unknownAccount } from './accounts.ts'
import { createApiKey, hashApiKey } from './api-key.ts'
import { CallboardError, type Issue } from './errors.ts'
import { isId } from './id.ts'
import { MODES, type Mode } from './mode.ts'
import { assertOverlap, DEFAULT_OVERLAP_MS } from './overlap.ts'
import type { KeyRecord, KeyStore } from './ports/key-store.ts'
import { areRateLimits, RATE_LIMITS_RULE, type RateLimits } from './rate-limit.ts'
import { isScope, SCOPES, type Scope } from './scopes.ts'
import { textProblem } from './text-rules.ts'

const NAME = { min: 1, max: 100 } as const

export interface IssueKeyInput {
  readonly account: string
  /** What people call it, 1–100 characters. */
  readonly name: string
  readonly scopes: readonly Scope[]
  /** `live` by default. */
  readonly mode?: Mode | undefined
  /** Never, by default. */
  readonly expiresAt?: Date | undefined
  /** Made up before (`createId('key')`), so that a form which is posted twice issues one key; a new one by default. */
  readonly id?: string | undefined
  /** Windows of its own; by default those of `createCallboard`. */
  readonly limits?: RateLimits | undefined
}

/** A key and its token, which is shown this once and never again. */
export interface IssuedKey extends KeyRecord {
  readonly token: string
}

export interface RotateKeyOptions {
  /** How long the old key stays valid beside its successor, in milliseconds; 24 h by default. */
  readonly overlapMs?: number | undefined
  /** Expiry of the successor; none by default. */
  readonly expiresAt?: Date | undefined
}

export interface Keys {
  /** Throws `VALIDATION_FAILED`, `ACCOUNT_UNKNOWN`, and `KEY_EXISTS` when the account has a key of this `id`. */
  issue(input: IssueKeyInput): Promise<IssuedKey>
  /** All keys of an account, newest first, without tokens. */
  list(account: string): Promise<KeyRecord[]>
  /** One of them; undefined when there is none. */
  find(account: string, keyId: string): Promise<KeyRecord | undefined>
  /** How many active subscriptions stop when the key is revoked. */
  countSubscriptions(account: string, keyId: string): Promise<number>
  /**
   * Issues a successor with the same name, scopes and windows, and hands the key's subscriptions to it, so that nothing is
   * interrupted. Throws `NOT_FOUND` for a key that is unknown, revoked, expired or already rotated.
   */
  rotate(account: string, keyId: string, options?: RotateKeyOptions): Promise<IssuedKey>
  /** Ends a key at once, on every node, and holds its subscriptions (`disabled`, reason `key`). Throws `NOT_FOUND`. */
  revoke(account: string, keyId: string): Promise<KeyRecord>
}

export function createKeys(store: KeyStore, prefix: string, now: () => number): Keys {
  return {
    async issue({ account, name, scopes, mode = 'live', expiresAt, limits, id: ownId }) {
      assertAccountId('account', account)
      check({ name, scopes, mode, expiresAt, limits, id: ownId }, now())
      const { id, token } = createApiKey({ prefix, mode, id: ownId })
      const record = await store.issue({
        id,
        accountId: account,
        mode,
        name,
        scopes: [...new Set(scopes)],
        limits,
        expiresAt,
        tokenHash: await hashApiKey(token),
      })
      if (record !== undefined) return { ...record, token }
      if (ownId === undefined || (await store.find(account, ownId)) === undefined) throw unknownAccount()
      throw new CallboardError('KEY_EXISTS', 'The account has a key of this id.')
    },
    async list(account) {
      assertAccountId('account', account)
      return store.list(account)
    },
    async find(account, keyId) {
      assertAccountId('account', account)
      return store.find(account, keyId)
    },
    async countSubscriptions(account, keyId) {
      assertAccountId('account', account)
      return store.countSubscriptions(account, keyId)
    },
    async rotate(account, keyId, { overlapMs = DEFAULT_OVERLAP_MS, expiresAt } = {}) {
      assertAccountId('account', account)
      assertOverlap(overlapMs)
      if (!isToCome(expiresAt, now())) throw invalid([PAST_EXPIRY])
      const old = await store.find(account, keyId)
      if (old === undefined) throw unknownKey()
      const { id, token } = createApiKey({ prefix, mode: old.mode })
      const record = await store.rotate({
        accountId: account,
        keyId,
        successor: { id, tokenHash: await hashApiKey(token), expiresAt },
        overlapMs,
      })
      if (record === undefined) throw unknownKey()
      return { ...record, token }
    },
    async revoke(account, keyId) {
      assertAccountId('account', account)
      const record = await store.revoke(account, keyId)
      if (record === undefined) throw unknownKey()
      return record
    },
  }
}

function unknownKey(): CallboardError {
  return new CallboardError('NOT_FOUND', 'There is no such key, or it is revoked, expired or already rotated.')
}

function invalid(issues: readonly Issue[]): CallboardError {
  return new CallboardError('VALIDATION_FAILED', issues.map(({ message }) => message).join(' '), { issues })
}

const PAST_EXPIRY: Issue = { path: 'expiresAt', message: 'expiresAt must be a time to come.' }

function isToCome(expiresAt: Date | undefined, now: number): boolean {
  return expiresAt === undefined || expiresAt.getTime() > now
}

function check({ name, scopes, mode, expiresAt, limits, id }: Omit<IssueKeyInput, 'account'>, now: number): void {
  const issues: Issue[] = []
  const nameProblem = textProblem(name, NAME)
  if (nameProblem !== undefined) issues.push({ path: 'name', message: `name ${nameProblem}` })
  if (!Array.isArray(scopes) || scopes.some((scope) => !isScope(scope)))
    issues.push({ path: 'scopes', message: `scopes must be some of ${SCOPES.join(', ')}.` })
  if (mode === undefined || !MODES.includes(mode)) issues.push({ path: 'mode', message: 'mode must be live or test.' })
  if (!isToCome(expiresAt, now)) issues.push(PAST_EXPIRY)
  if (id !== undefined && !isId('key', id)) issues.push({ path: 'id', message: 'id must be one of createId.' })
  if (limits !== undefined && !areRateLimits(limits))
    issues.push({ path: 'limits', message: `limits must be ${RATE_LIMITS_RULE}` })
  if (issues.length > 0) throw invalid(issues)
}
