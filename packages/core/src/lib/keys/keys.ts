import { assertAccountId, unknownAccount } from '../accounts/accounts.ts'
import type { Mode } from '../accounts/mode.ts'
import { readOwner } from '../accounts/owner.ts'
import type { Recorder } from '../audit/recorder.ts'
import type { PageCursors, PageQuery } from '../cursors/page-cursors.ts'
import { CallboardError } from '../errors.ts'
import { createId, idFromUuid, uuidFromId } from '../id.ts'
import type { KeyRecord, KeyStore, NewKey, RevokedKey } from '../ports/key-store.ts'
import type { SubscriptionStore } from '../ports/subscription-store.ts'
import { assertOverlap, DEFAULT_OVERLAP_MS } from '../secrets/overlap.ts'
import { validationFailed } from '../validation/validation.ts'
import { assertVersion } from '../versions/api-version.ts'
import type { Formats } from '../versions/formats.ts'
import { createApiKey, hashApiKey, lastCharactersOf } from './api-key.ts'
import { hashBytes, importIssues } from './imported-key.ts'
import { expiryIssue, type ImportKeyInput, type IssueKeyInput, readKeyInput } from './key-input.ts'

export interface ImportedKey extends KeyRecord {
  /** False if the account had the key already. Nothing has changed then, even if its name or scopes differ. */
  readonly created: boolean
}

/** A key with its token, which can never be read again. */
export interface IssuedKey extends KeyRecord {
  readonly token: string
}

/** Names a key of an account. */
export interface KeyRef {
  readonly accountId: string
  readonly id: string
}

export interface RotateKeyInput extends KeyRef {
  /** How long the old key stays valid alongside its successor, in milliseconds; 24 h by default. */
  readonly overlapMs?: number | undefined
  /** When the successor expires; never by default. */
  readonly expiresAt?: Date | undefined
}

export interface KeysQuery extends PageQuery {
  readonly accountId: string
  /** Only keys of this mode; keys of both modes by default. */
  readonly mode?: Mode | undefined
}

export interface KeysPage {
  readonly keys: readonly KeyRecord[]
  /** Null on the last page. */
  readonly nextCursor: string | null
}

export interface Keys {
  /**
   * Issues a key. Throws `VALIDATION_FAILED`, `ACCOUNT_UNKNOWN`, `KEY_EXISTS` when this or another account already has
   * a key with this `id`, and `KEY_LIMIT_REACHED` when it has too many valid keys. A rotated key counts until its
   * overlap ends.
   */
  issue(input: IssueKeyInput): Promise<IssuedKey>
  /**
   * Imports a key that customers already have, by the hash of its token; the API then accepts that token. Repeating a
   * call returns the same key. A rotation replaces the token by one of Callboard's own.
   *
   * Throws as `issue` does, `KEY_EXISTS` also when another account or mode has the token, and `CONFIGURATION_INVALID`
   * without the option `importedKeys`.
   */
  import(input: ImportKeyInput): Promise<ImportedKey>
  /**
   * Lists an account's keys without tokens: valid keys first, then revoked and expired ones, each newest first. Throws
   * `VALIDATION_FAILED` for an invalid account id, mode or limit, and for a cursor from another list.
   */
  list(query: KeysQuery): Promise<KeysPage>
  /** Finds one key of an account; undefined when it does not exist. */
  find(key: KeyRef): Promise<KeyRecord | undefined>
  /** Counts the active subscriptions that would be disabled if the key were revoked. */
  countSubscriptions(key: KeyRef): Promise<number>
  /**
   * Issues a successor with the same name, scopes, rate limits and format version, and transfers the key's
   * subscriptions to it without interruption. An account at its limit can rotate too. If the key is itself the
   * successor of a key whose overlap has not ended, that oldest key expires now. Do not spread a key's record into the
   * call: its `expiresAt` would become the successor's. Throws `VALIDATION_FAILED`, and `NOT_FOUND` for a key that is
   * unknown, revoked, expired or already rotated.
   */
  rotate(input: RotateKeyInput): Promise<IssuedKey>
  /**
   * Pins a key to a format version of the catalogue. The key's subscriptions stay pinned to their own versions. Throws
   * `VALIDATION_FAILED` and `NOT_FOUND`.
   */
  setApiVersion(input: KeyRef & { readonly apiVersion: string }): Promise<KeyRecord>
  /**
   * Revokes a key and disables its subscriptions with reason `key`. Once this resolves, no process admits a new request
   * with the key. Throws `NOT_FOUND`.
   */
  revoke(key: KeyRef): Promise<RevokedKey>
}

export interface KeysOptions {
  readonly store: KeyStore
  readonly subscriptions: Pick<SubscriptionStore, 'list'>
  readonly recorder: Pick<Recorder, 'entry' | 'admitChange'>
  readonly cursors: PageCursors
  readonly prefix: string
  /** Whether keys can be imported. */
  readonly imports: boolean
  /** The most valid keys an account can have when it issues one. */
  readonly limit: number
  readonly formats: Formats
  readonly now: () => number
}

export function createKeys({
  store,
  subscriptions,
  recorder,
  cursors,
  prefix,
  imports,
  limit,
  formats,
  now,
}: KeysOptions): Keys {
  const { open, close } = cursors
  const { entry, admitChange } = recorder

  const known = async (accountId: string, keyId: string): Promise<KeyRecord> => {
    const key = await store.find(accountId, keyId)
    if (key === undefined) throw unknownKey()
    return key
  }

  const add = async (
    key: NewKey,
    action: 'key.issued' | 'key.imported',
  ): Promise<{ readonly key: KeyRecord; readonly created: boolean }> => {
    const { accountId, mode, id, scopes } = key
    await admitChange(accountId)
    const result = await store.issueKey(
      key,
      limit,
      entry({ action, accountId, mode, objectId: id, details: { scopes } }),
    )
    switch (result.outcome) {
      case 'issued':
      case 'existing':
        return { key: result.key, created: result.outcome === 'issued' }
      case 'exists':
        throw new CallboardError('KEY_EXISTS', 'A key with this id or token exists already.')
      case 'limit_reached':
        throw limitReached(limit)
      case 'account_unknown':
        throw unknownAccount()
    }
  }

  return {
    async issue(input) {
      const draft = readKeyInput(input, formats, now())
      const { id, token } = createApiKey({ prefix, mode: draft.mode, id: input.id })
      const { key } = await add({ ...draft, id, ...(await storedToken(token)) }, 'key.issued')
      return { ...key, token }
    },
    async import({ sha256, createdAt, ...input }) {
      if (!imports)
        throw new CallboardError('CONFIGURATION_INVALID', 'Set importedKeys: true in createCallboard to import keys.')
      const draft = readKeyInput(input, formats, now(), importIssues({ sha256, createdAt }, now()))
      const id = input.id ?? createId('key', { now: Math.max(0, createdAt?.getTime() ?? now()) })
      const { key, created } = await add({ ...draft, id, createdAt, tokenHash: hashBytes(sha256) }, 'key.imported')
      return { ...key, created }
    },
    async list({ accountId, mode, ...query }) {
      readOwner({ accountId, mode })
      const binding = [accountId, mode ?? null, 'keys', null]
      const { limit: rows, place } = await open(query, binding)
      const after = place && { valid: place.number === 1, id: idFromUuid('key', place.uuid) }
      const { keys, next } = await store.list({ accountId, mode, after, limit: rows })
      const last = next && { number: next.valid ? 1 : 0, uuid: uuidFromId('key', next.id) }
      return { keys, nextCursor: await close(last, binding) }
    },
    async find({ accountId, id }) {
      assertAccountId('accountId', accountId)
      return store.find(accountId, id)
    },
    async countSubscriptions({ accountId, id: keyId }) {
      assertAccountId('accountId', accountId)
      const key = await store.find(accountId, keyId)
      const all = key === undefined ? [] : await subscriptions.list(accountId, key.mode)
      return all.filter(({ confirmedBy, state }) => confirmedBy === keyId && state === 'active').length
    },
    async rotate({ accountId, id: keyId, overlapMs = DEFAULT_OVERLAP_MS, expiresAt }) {
      assertAccountId('accountId', accountId)
      assertOverlap(overlapMs)
      const issue = expiryIssue(expiresAt, now())
      if (issue !== undefined) throw validationFailed(issue)
      const { mode } = await known(accountId, keyId)
      const { id, token } = createApiKey({ prefix, mode })
      const successor = { id, ...(await storedToken(token)), expiresAt }
      await admitChange(accountId)
      const record = await store.rotateKey(
        { accountId, keyId, successor, overlapMs },
        entry({ action: 'key.rotated', accountId, mode, objectId: keyId, details: { successor: id, overlapMs } }),
      )
      if (record === undefined) throw unknownKey()
      return { ...record, token }
    },
    async setApiVersion({ accountId, id: keyId, apiVersion }) {
      assertAccountId('accountId', accountId)
      assertVersion(apiVersion, formats)
      const { mode } = await known(accountId, keyId)
      await admitChange(accountId)
      const record = await store.setApiVersion(
        accountId,
        keyId,
        apiVersion,
        entry({ action: 'key.version_set', accountId, mode, objectId: keyId, details: { apiVersion } }),
      )
      if (record === undefined) throw unknownKey()
      return record
    },
    async revoke({ accountId, id: keyId }) {
      assertAccountId('accountId', accountId)
      const { mode } = await known(accountId, keyId)
      const record = await store.revokeKey(
        accountId,
        keyId,
        entry({ action: 'key.revoked', accountId, mode, objectId: keyId }),
      )
      if (record === undefined) throw unknownKey()
      return record
    },
  }
}

/** What a store keeps of a token. */
async function storedToken(token: string): Promise<Pick<NewKey, 'tokenHash' | 'lastCharacters'>> {
  return { tokenHash: await hashApiKey(token), lastCharacters: lastCharactersOf(token) }
}

function unknownKey(): CallboardError {
  return new CallboardError('NOT_FOUND', 'The key does not exist, or it is revoked, expired or already rotated.')
}

function limitReached(limit: number): CallboardError {
  return new CallboardError(
    'KEY_LIMIT_REACHED',
    `The account has reached its limit of ${limit} ${limit === 1 ? 'key' : 'keys'}. Revoke one first.`,
  )
}
