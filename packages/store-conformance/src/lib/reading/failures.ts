import { describe, expect } from 'vitest'
import { addAccount, addSubscriber, addSubscription, feed } from '../arranging/arrange.ts'
import { attemptOf, leaseDue, leaseLane, retryOf, settleLane } from '../arranging/lanes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import { remove } from '../arranging/subscription-acts.ts'

const HOUR_MS = 3_600_000

export function describeFailures(it: StoreIt): void {
  describe('the newest failures of an account', () => {
    it('are the last failed attempts of its deliveries, newest first, without the responses', async ({
      store,
      advance,
    }) => {
      const { account, key, subscription } = await addSubscriber(store)
      const [first, second, third] = await feed(store, account, 3)
      const failed = { succeeded: false, failedAttempts: 1 }
      await settleLane(store, await leaseLane(store), {
        ...failed,
        attempts: [
          attemptOf(first!),
          attemptOf(second!, { outcome: 'exhausted', status: undefined, reason: 'timeout', durationMs: 5000 }),
          attemptOf(third!, { outcome: 'delivered', status: 204 }),
        ],
        retries: [retryOf(first!)],
        ended: [second!, third!],
      })
      await advance(HOUR_MS)
      const again = attemptOf(first!, { number: 2, status: 502 })
      await settleLane(store, await leaseLane(store), { ...failed, attempts: [again], retries: [retryOf(first!)] })
      const other = await addSubscription(store, key)
      const [fourth] = await feed(store, account, 1)
      for (const lane of await leaseDue(store))
        await settleLane(store, lane, { attempts: [attemptOf(fourth!, { outcome: 'gone', status: 410 })] })
      const owner = { accountId: account.id, mode: 'live' } as const
      const all = await store.deliveryLog.newestFailures(owner, 10)
      expect(all.map(({ attempt }) => attempt.eventId)).toEqual([fourth, fourth, first, second])
      expect(new Set(all.slice(0, 2).map((each) => each.subscription.id))).toEqual(new Set([subscription.id, other.id]))
      expect(all.slice(2)).toEqual([
        {
          subscription: await store.subscriptions.find(subscription),
          attempt: {
            id: again.id,
            subscriptionId: subscription.id,
            eventId: first,
            number: 2,
            outcome: 'failed',
            status: 502,
            reason: undefined,
            startedAt: expect.any(Date),
            durationMs: 250,
          },
          event: { type: 'order.paid', subject: { type: 'order', id: expect.any(String) } },
        },
        {
          subscription: await store.subscriptions.find(subscription),
          attempt: expect.objectContaining({ eventId: second, reason: 'timeout', durationMs: 5000 }),
          event: all[2]!.event,
        },
      ])
      expect(all.slice(0, 2)).toEqual(await store.deliveryLog.newestFailures(owner, 2))
      await remove(store, other)
      expect((await store.deliveryLog.newestFailures(owner, 10)).map((each) => each.subscription.id)).toEqual([
        subscription.id,
        subscription.id,
        subscription.id,
      ])
      expect(await store.deliveryLog.newestFailures({ ...owner, mode: 'test' }, 10)).toEqual([])
      expect(await store.deliveryLog.newestFailures({ ...owner, accountId: (await addAccount(store)).id }, 10)).toEqual(
        [],
      )
    })
  })
}
