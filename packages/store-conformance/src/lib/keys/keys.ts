import { createId, type Mode } from '@callboard/core'
import type { KeyPlace } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import {
  addAccount,
  addKey,
  addSubscriber,
  addSubscription,
  feed,
  keysOf,
  pagesOf,
  rotationOf,
} from '../arranging/arrange.ts'
import { ENTRY, newAccount, newKey, WIDE_LIMITS } from '../arranging/inputs.ts'
import { leaseLane } from '../arranging/lanes.ts'
import { horizons, NOTHING, retainAll } from '../arranging/retention-passes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import { disable, remove } from '../arranging/subscription-acts.ts'

const HOUR_MS = 3_600_000

export function describeKeys(it: StoreIt): void {
  describe('keys', () => {
    it('stores everything about a key except its token', async ({ store }) => {
      const account = await addAccount(store)
      const expiresAt = new Date(Date.now() + HOUR_MS)
      const { tokenHash, ...input } = newKey(account, {
        mode: 'test',
        scopes: ['people.read'],
        limits: WIDE_LIMITS,
        expiresAt,
      })
      const issued = await store.keys.issueKey({ ...input, tokenHash }, 1, ENTRY)
      const unused = { revokedAt: undefined, lastUsedAt: undefined, successorId: undefined }
      const key = { ...input, ...unused, createdAt: expect.any(Date) }
      expect(issued).toEqual({ outcome: 'issued', key })
      expect(await store.keys.find(account.id, input.id)).toEqual(key)
    })

    it('issues no key for an account that does not exist', async ({ store }) => {
      expect(await store.keys.issueKey(newKey(newAccount()), 1, ENTRY)).toEqual({ outcome: 'account_unknown' })
    })

    it('issues no second key with the same id, and returns "exists" even at the limit', async ({ store }) => {
      const account = await addAccount(store)
      const key = await addKey(store, account)
      for (const limit of [1, 2])
        expect(await store.keys.issueKey(newKey(account, { id: key.id, name: 'again' }), limit, ENTRY)).toEqual({
          outcome: 'exists',
        })
      expect(await keysOf(store, account.id)).toMatchObject([{ id: key.id, name: key.name }])
    })

    it('issues no key with the id of another account’s key, and that key keeps working', async ({ store }) => {
      const key = await addKey(store, await addAccount(store))
      const other = await addAccount(store)
      expect(await store.keys.issueKey(newKey(other, { id: key.id }), 10, ENTRY)).toEqual({ outcome: 'exists' })
      expect(await keysOf(store, other.id)).toEqual([])
      expect(await store.accounts.ownersOf(key.id)).toEqual([{ accountId: key.accountId, mode: key.mode }])
      await store.accounts.delete(other.id, ENTRY)
      expect((await store.admission.admitRequest({ tokenHash: key.tokenHash, limits: WIDE_LIMITS })).outcome).toBe(
        'admitted',
      )
    })

    it('stores a token once, and returns its key to its own account and mode, even at the limit', async ({ store }) => {
      const account = await addAccount(store)
      const createdAt = new Date('2021-03-04T05:06:07.089Z')
      const { tokenHash, ...key } = await addKey(store, account, { createdAt })
      expect(key.createdAt).toEqual(createdAt)
      const again = newKey(account, { tokenHash, name: 'again' })
      expect(await store.keys.issueKey(again, 1, ENTRY)).toEqual({ outcome: 'existing', key })
      const other = await addAccount(store)
      for (const elsewhere of [newKey(other, { tokenHash }), newKey(account, { tokenHash, mode: 'test' })])
        expect(await store.keys.issueKey(elsewhere, 10, ENTRY)).toEqual({ outcome: 'exists' })
      expect(await keysOf(store, account.id)).toEqual([key])
    })

    it('issues at most as many keys as the limit, across both modes', async ({ store }) => {
      const account = await addAccount(store)
      const issue = async (mode: Mode) => (await store.keys.issueKey(newKey(account, { mode }), 2, ENTRY)).outcome
      expect([await issue('live'), await issue('test'), await issue('live'), await issue('test')]).toEqual([
        'issued',
        'issued',
        'limit_reached',
        'limit_reached',
      ])
      expect(await keysOf(store, account.id)).toHaveLength(2)
      expect((await store.keys.issueKey(newKey(await addAccount(store)), 2, ENTRY)).outcome).toBe('issued')
    })

    it('does not count revoked or expired keys towards the limit, and rotated ones until their overlap ends', async ({
      store,
      advance,
    }) => {
      const account = await addAccount(store)
      const revoked = await addKey(store, account)
      await addKey(store, account, { expiresAt: new Date(revoked.createdAt.getTime() + 1000) })
      const rotated = await addKey(store, account)
      const issue = async () => (await store.keys.issueKey(newKey(account), 3, ENTRY)).outcome
      expect(await issue()).toBe('limit_reached')
      await store.keys.revokeKey(account.id, revoked.id, ENTRY)
      await advance(5000)
      expect([await issue(), await issue(), await issue()]).toEqual(['issued', 'issued', 'limit_reached'])
      const request = rotationOf(rotated)
      expect(await store.keys.rotateKey(request, ENTRY)).toBeDefined()
      await store.keys.revokeKey(account.id, request.successor.id, ENTRY)
      expect(await issue()).toBe('limit_reached')
      await advance(HOUR_MS + 5000)
      expect([await issue(), await issue()]).toEqual(['issued', 'limit_reached'])
    })

    it('finds a key only in its own account', async ({ store }) => {
      const key = await addKey(store, await addAccount(store))
      const other = await addAccount(store)
      expect(await store.keys.find(other.id, key.id)).toBeUndefined()
      expect(await store.keys.revokeKey(other.id, key.id, ENTRY)).toBeUndefined()
      expect(await store.keys.rotateKey({ ...rotationOf(key), accountId: other.id }, ENTRY)).toBeUndefined()
      expect(await store.keys.find(key.accountId, createId('key'))).toBeUndefined()
    })

    it('lists valid keys first and then revoked and expired ones, each newest first, page by page', async ({
      store,
      advance,
    }) => {
      const account = await addAccount(store)
      const first = await addKey(store, account)
      await advance(1000)
      const second = await addKey(store, account, { expiresAt: new Date(first.createdAt.getTime() + 2000) })
      await advance(5000)
      const third = await addKey(store, account, { mode: 'test' })
      const fourth = await addKey(store, account)
      const fifth = await addKey(store, account)
      await addKey(store, await addAccount(store))
      await store.keys.revokeKey(account.id, fourth.id, ENTRY)
      const sorted = [fifth, third, first, fourth, second].map(({ id }) => id)
      expect((await keysOf(store, account.id)).map(({ id }) => id)).toEqual(sorted)
      const all = { accountId: account.id, mode: undefined }
      const pages = await pagesOf((after?: KeyPlace) => store.keys.list({ ...all, after, limit: 2 }))
      expect(pages.flatMap(({ keys }) => keys.map(({ id }) => id))).toEqual(sorted)
      const test = await store.keys.list({ accountId: account.id, mode: 'test', after: undefined, limit: 1 })
      expect(test).toMatchObject({ keys: [{ id: third.id }], next: undefined })
    })

    it('refuses a revoked key at once, and keeps the time of the first revocation if it is revoked twice', async ({
      store,
      advance,
    }) => {
      const key = await addKey(store, await addAccount(store))
      const first = await store.keys.revokeKey(key.accountId, key.id, ENTRY)
      expect(first?.revokedAt).toBeInstanceOf(Date)
      expect(await store.admission.admitRequest({ tokenHash: key.tokenHash, limits: WIDE_LIMITS })).toEqual({
        outcome: 'unknown',
      })
      expect(await store.admission.identify(key.tokenHash)).toBeUndefined()
      await advance(5000)
      expect(await store.keys.revokeKey(key.accountId, key.id, ENTRY)).toEqual(first)
      expect(await store.keys.revokeKey(key.accountId, createId('key'), ENTRY)).toBeUndefined()
    })

    it('disables the active subscriptions of a revoked key and no others', async ({ store }) => {
      const { account, key, subscription } = await addSubscriber(store)
      const gone = await addSubscription(store, key)
      await disable(store, gone, 'gone')
      await remove(store, await addSubscription(store, key))
      const other = await addSubscription(store, await addKey(store, account))
      await addSubscription(store, key, { source: 'dashboard', identity: undefined, confirmedBy: undefined })
      expect(await store.keys.revokeKey(account.id, key.id, ENTRY)).toMatchObject({ disabledSubscriptions: 1 })
      expect(await store.subscriptions.find(subscription)).toMatchObject({ state: 'disabled', disabledReason: 'key' })
      expect(await store.subscriptions.find(gone)).toMatchObject({ state: 'disabled', disabledReason: 'gone' })
      expect(await store.subscriptions.find(other)).toMatchObject({ state: 'active' })
    })

    it('issues a successor with the same account, mode, name, scopes, limits and version', async ({ store }) => {
      const key = await addKey(store, await addAccount(store), {
        mode: 'test',
        name: 'crm',
        scopes: ['people.read'],
        limits: WIDE_LIMITS,
      })
      const request = rotationOf(key)
      const record = await store.keys.rotateKey(request, ENTRY)
      const { accountId, mode, name, scopes, limits, apiVersion } = key
      const fresh = {
        lastCharacters: request.successor.lastCharacters,
        createdAt: expect.any(Date),
        expiresAt: undefined,
        revokedAt: undefined,
        lastUsedAt: undefined,
        successorId: undefined,
      }
      expect(record).toEqual({ id: request.successor.id, accountId, mode, name, scopes, limits, apiVersion, ...fresh })
      expect(await store.keys.find(accountId, request.successor.id)).toEqual(record)
      expect(await store.keys.find(accountId, key.id)).toMatchObject({ successorId: request.successor.id })
    })

    it('expires a rotated key after the overlap', async ({ store, advance }) => {
      const key = await addKey(store, await addAccount(store))
      const request = rotationOf(key)
      await store.keys.rotateKey(request, ENTRY)
      const admit = async (tokenHash: Uint8Array) =>
        (await store.admission.admitRequest({ tokenHash, limits: WIDE_LIMITS })).outcome
      await advance(HOUR_MS - 5000)
      expect(await admit(key.tokenHash)).toBe('admitted')
      expect(await admit(request.successor.tokenHash)).toBe('admitted')
      await advance(10_000)
      expect(await admit(key.tokenHash)).toBe('unknown')
      expect(await admit(request.successor.tokenHash)).toBe('admitted')
    })

    it('ends the oldest key of a chain of rotations, so that two of them stay valid', async ({ store }) => {
      const first = await addKey(store, await addAccount(store))
      const [second, third] = [rotationOf(first), rotationOf(first)]
      await store.keys.rotateKey(second, ENTRY)
      await store.keys.rotateKey({ ...third, keyId: second.successor.id }, ENTRY)
      const admitted = []
      for (const { tokenHash } of [first, second.successor, third.successor])
        admitted.push((await store.admission.admitRequest({ tokenHash, limits: WIDE_LIMITS })).outcome)
      expect(admitted).toEqual(['unknown', 'admitted', 'admitted'])
    })

    it('keeps the expiry of a rotated key if it is earlier than the end of the overlap', async ({ store }) => {
      const account = await addAccount(store)
      const { createdAt } = await addKey(store, account)
      const expiresAt = new Date(createdAt.getTime() + HOUR_MS / 2)
      const key = await addKey(store, account, { expiresAt })
      await store.keys.rotateKey(rotationOf(key), ENTRY)
      expect((await store.keys.find(account.id, key.id))?.expiresAt).toEqual(expiresAt)
    })

    it('moves the subscriptions of a rotated key to its successor without interruption', async ({ store, advance }) => {
      const { account, key, subscription } = await addSubscriber(store)
      const request = rotationOf(key)
      await store.keys.rotateKey(request, ENTRY)
      expect(await store.subscriptions.find(subscription)).toMatchObject({
        state: 'active',
        confirmedBy: request.successor.id,
      })
      await advance(2 * HOUR_MS)
      await store.keys.revokeKey(account.id, key.id, ENTRY)
      await feed(store, account, 1)
      expect((await leaseLane(store)).standing).toMatchObject({ deliverable: true, disable: undefined })
    })

    it('is removed by retention once it has been invalid for long, unless a subscription depends on it', async ({
      store,
      advance,
    }) => {
      const { account, key, subscription } = await addSubscriber(store)
      const [valid, revoked] = [await addKey(store, account), await addKey(store, account)]
      await store.admission.admitRequest({ tokenHash: revoked.tokenHash, limits: WIDE_LIMITS })
      const expired = await addKey(store, account, { expiresAt: new Date(revoked.createdAt.getTime() + 1000) })
      for (const { id } of [key, revoked]) await store.keys.revokeKey(account.id, id, ENTRY)
      await advance(2 * HOUR_MS)
      const kept = horizons({ auditMs: 3 * HOUR_MS, subscriptionsMs: HOUR_MS })
      expect(await retainAll(store, kept)).toEqual(NOTHING)
      const ended = { ...kept, auditMs: HOUR_MS }
      expect(await retainAll(store, ended, 1)).toMatchObject({ keys: 2 })
      expect((await keysOf(store, account.id)).map(({ id }) => id)).toEqual([valid.id, key.id])
      expect(await store.accounts.ownersOf(expired.id)).toEqual([])
      await remove(store, subscription)
      expect(await retainAll(store, ended)).toMatchObject({ keys: 1 })
      expect((await keysOf(store, account.id)).map(({ id }) => id)).toEqual([valid.id])
    })

    it('rotates no key that is unknown, revoked, expired or already rotated', async ({ store, advance }) => {
      const account = await addAccount(store)
      const revoked = await addKey(store, account)
      await store.keys.revokeKey(account.id, revoked.id, ENTRY)
      const expired = await addKey(store, account, { expiresAt: new Date(revoked.createdAt.getTime() + 1000) })
      await advance(5000)
      const rotated = await addKey(store, account)
      await store.keys.rotateKey(rotationOf(rotated), ENTRY)
      const before = await keysOf(store, account.id)
      expect(await store.keys.rotateKey({ ...rotationOf(rotated), keyId: createId('key') }, ENTRY)).toBeUndefined()
      for (const key of [revoked, expired, rotated])
        expect(await store.keys.rotateKey(rotationOf(key), ENTRY)).toBeUndefined()
      expect(await keysOf(store, account.id)).toEqual(before)
    })
  })
}
