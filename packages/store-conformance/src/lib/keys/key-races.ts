import { createId, type RateLimits } from '@callboard/core'
import type { Store } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addAccount, addKey, addSubscriber, addSubscription, keysOf, rotationOf } from '../arranging/arrange.ts'
import { accountToCreate, ENTRY, newAccount, newKey, WIDE_LIMITS } from '../arranging/inputs.ts'
import { race, tally } from '../arranging/racing.ts'
import type { RaceIt } from '../arranging/store-it.ts'

const LIMITS: RateLimits = [
  { seconds: 86_400, limit: 40 },
  { seconds: 2 * 86_400, limit: 250 },
  { seconds: 4 * 86_400, limit: 800 },
]

export function describeKeyRaces<Tx>(it: RaceIt<Tx>): void {
  describe('accounts and keys', () => {
    it('creates an account exactly once', async ({ store, another }) => {
      const nodes = [store, await another()]
      const account = newAccount()
      const made = await race(20, (index) => nodes[index % 2]!.accounts.createAccounts([accountToCreate(account)]))
      expect(made.flatMap(({ created }) => created)).toEqual([account.id])
    })

    it('admits exactly as many requests as the limit across two nodes', async ({ store, advance, another }) => {
      const nodes: Store<unknown>[] = [store, await another()]
      const { tokenHash } = await addKey(store, await addAccount(store))
      const first = await store.admission.admitRequest({ tokenHash, limits: LIMITS })
      // Moves the clock to the end of the longest window. All windows start afresh there, so none ends during the race.
      if (first.outcome !== 'unknown') await advance(Math.max(...first.windows.map(({ resetAfterMs }) => resetAfterMs)))
      const admissions = await race(50, (index) =>
        nodes[index % 2]!.admission.admitRequest({ tokenHash, limits: LIMITS }),
      )
      expect(tally(admissions.map(({ outcome }) => outcome))).toEqual({ admitted: 40, limited: 10 })
      const last = await store.admission.admitRequest({ tokenHash, limits: LIMITS })
      expect(last).toMatchObject({
        outcome: 'limited',
        windows: [{ remaining: 0 }, { remaining: 210 }, { remaining: 760 }],
      })
    })

    it('admits exactly as many requests as the limit for a key that was never used', async ({ store, another }) => {
      const nodes: Store<unknown>[] = [store, await another()]
      const { tokenHash } = await addKey(store, await addAccount(store))
      const page = { type: undefined, after: undefined, limit: 5, horizonMs: 60_000 }
      const request = { tokenHash, limits: LIMITS, page }
      const admissions = await race(50, (index) => nodes[index % 2]!.admission.admitRequest(request))
      expect(tally(admissions.map(({ outcome }) => outcome))).toEqual({ admitted: 40, limited: 10 })
    })

    it('gives a token to exactly one of the accounts that import it at once', async ({ store, another }) => {
      const nodes: Store<unknown>[] = [store, await another()]
      const accounts = await Promise.all(Array.from({ length: 10 }, () => addAccount(store)))
      const { tokenHash } = newKey(accounts[0]!)
      const imported = await race(10, (index) =>
        nodes[index % 2]!.keys.issueKey(newKey(accounts[index]!, { tokenHash }), 5, ENTRY),
      )
      expect(tally(imported.map(({ outcome }) => outcome))).toEqual({ issued: 1, exists: 9 })
    })

    it('issues exactly as many keys as the limit, while other keys are rotated', async ({ store, another }) => {
      const nodes: Store<unknown>[] = [store, await another()]
      const account = await addAccount(store)
      const old = [await addKey(store, account), await addKey(store, account)]
      const rotating = old.map((key) => nodes[1]!.keys.rotateKey(rotationOf(key, 0), ENTRY))
      const issued = await race(20, (index) =>
        nodes[index % 2]!.keys.issueKey(newKey(account, { mode: index % 3 === 0 ? 'test' : 'live' }), 7, ENTRY),
      )
      expect(tally(issued.map(({ outcome }) => outcome))).toEqual({ issued: 5, limit_reached: 15 })
      expect(await Promise.all(rotating)).not.toContain(undefined)
    })

    it('issues a key id to one of several accounts that ask for it at the same time', async ({ store, another }) => {
      const nodes: Store<unknown>[] = [store, await another()]
      const accounts = await Promise.all([addAccount(store), addAccount(store), addAccount(store)])
      const id = createId('key')
      const issued = await race(12, (index) =>
        nodes[index % 2]!.keys.issueKey(newKey(accounts[index % 3]!, { id }), 7, ENTRY),
      )
      expect(tally(issued.map(({ outcome }) => outcome))).toEqual({ issued: 1, exists: 11 })
      expect(await store.accounts.ownersOf(id)).toHaveLength(1)
    })

    it('refuses a revoked key on every node at once', async ({ store, another }) => {
      const node = await another()
      const { account, key } = await addSubscriber(store)
      const request = { tokenHash: key.tokenHash, limits: WIDE_LIMITS }
      expect((await node.admission.admitRequest(request)).outcome).toBe('admitted')
      await store.keys.revokeKey(account.id, key.id, ENTRY)
      expect((await node.admission.admitRequest(request)).outcome).toBe('unknown')
    })

    it('rotates a key exactly once', async ({ store, another }) => {
      const nodes: Store<unknown>[] = [store, await another()]
      const { account, key, subscription } = await addSubscriber(store)
      const rotated = await race(10, (index) => nodes[index % 2]!.keys.rotateKey(rotationOf(key), ENTRY))
      const [winner, ...others] = rotated.filter((record) => record !== undefined)
      expect(others).toEqual([])
      expect(await keysOf(store, account.id)).toHaveLength(2)
      expect(await store.subscriptions.find(subscription)).toMatchObject({ state: 'active', confirmedBy: winner?.id })
    })

    it('gives a subscription the successor of its key if the key is rotated while the subscription is created', async ({
      store,
      another,
    }) => {
      const node = await another()
      for (let rounds = 0; rounds < 5; rounds++) {
        const { key } = await addSubscriber(store)
        const rotation = rotationOf(key)
        const [made] = await Promise.all([
          race(5, () => addSubscription(store, key)),
          node.keys.rotateKey(rotation, ENTRY),
        ])
        for (const each of made)
          expect(await store.subscriptions.find(each)).toMatchObject({ confirmedBy: rotation.successor.id })
      }
    })
  })
}
