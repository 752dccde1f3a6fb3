import type { SubscriptionRecord } from '@callboard/core'
import type { Store, SubscriptionRef } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addAccount, addKey, addSubscriber, addSubscription } from '../arranging/arrange.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import { disable, remove, rotateSecret } from '../arranging/subscription-acts.ts'

const HOUR_MS = 3_600_000

function refOf({ accountId, mode, id }: SubscriptionRecord): SubscriptionRef {
  return { accountId, mode, id }
}

async function sealedOf(store: Store<unknown>, ref: SubscriptionRef): Promise<string[] | undefined> {
  return (await store.subscriptions.find(ref))?.secrets.map(({ sealed }) => sealed)
}

export function describeSealedSecrets(it: StoreIt): void {
  describe('sealed secrets', () => {
    it('are listed in steps, for every subscription that is not removed', async ({ store }) => {
      const accounts = [await addAccount(store), await addAccount(store)]
      const made: SubscriptionRecord[] = []
      for (const account of accounts) {
        for (const mode of ['live', 'test'] as const) {
          const key = await addKey(store, account, { mode })
          for (let count = 0; count < 2; count++)
            made.push(await addSubscription(store, key, { sealedSecret: `sealed-${made.length}` }))
        }
      }
      const [removed, disabled, ...others] = made
      await remove(store, removed!)
      await disable(store, disabled!)

      const seen = []
      for (let after: SubscriptionRef | undefined; ; after = seen.at(-1)!.ref) {
        const step = await store.subscriptions.sealedSecrets(after, 3)
        seen.push(...step)
        if (step.length < 3) break
      }
      const expected = [disabled!, ...others].map((record) => ({
        ref: refOf(record),
        sealed: record.secrets.map(({ sealed }) => sealed),
      }))
      expect(seen).toHaveLength(expected.length)
      expect(seen).toEqual(expect.arrayContaining(expected))
    })

    it('include a former secret as long as it still signs deliveries', async ({ store, advance }) => {
      const { subscription } = await addSubscriber(store)
      await rotateSecret(store, subscription, 'sealed-2', HOUR_MS)
      const ref = refOf(subscription)
      expect(await store.subscriptions.sealedSecrets(undefined, 5)).toEqual([{ ref, sealed: ['sealed-2', 'sealed-1'] }])
      await advance(HOUR_MS)
      expect(await store.subscriptions.sealedSecrets(undefined, 5)).toEqual([{ ref, sealed: ['sealed-2'] }])
    })

    it('can be replaced, whether current or former', async ({ store }) => {
      const { subscription } = await addSubscriber(store)
      await rotateSecret(store, subscription, 'sealed-2', HOUR_MS)
      expect(await store.subscriptions.replaceSealed(subscription, 'sealed-1', 'again-1')).toEqual({
        outcome: 'changed',
      })
      expect(await store.subscriptions.replaceSealed(subscription, 'sealed-2', 'again-2')).toEqual({
        outcome: 'changed',
      })
      expect(await sealedOf(store, subscription)).toEqual(['again-2', 'again-1'])
    })

    it('are not replaced if they no longer sign, or belong to a different or removed subscription', async ({
      store,
    }) => {
      const { subscription } = await addSubscriber(store)
      const other = await addSubscriber(store, { subscription: { sealedSecret: 'other-1' } })
      await rotateSecret(store, subscription, 'sealed-2', HOUR_MS)
      await rotateSecret(store, subscription, 'sealed-3', HOUR_MS)
      expect(await store.subscriptions.replaceSealed(subscription, 'sealed-1', 'again')).toEqual({
        outcome: 'unchanged',
      })
      expect(await store.subscriptions.replaceSealed(other.subscription, 'sealed-3', 'again')).toEqual({
        outcome: 'unchanged',
      })
      expect(await sealedOf(store, subscription)).toEqual(['sealed-3', 'sealed-2'])
      expect(await sealedOf(store, other.subscription)).toEqual(['other-1'])
      await remove(store, other.subscription)
      expect(await store.subscriptions.replaceSealed(other.subscription, 'other-1', 'again')).toEqual({
        outcome: 'unchanged',
      })
    })
  })
}
