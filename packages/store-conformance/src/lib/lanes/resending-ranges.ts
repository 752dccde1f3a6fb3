import { type RangePlace, type ResendableState, UNDELIVERED } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addSubscriber, feed, publish } from '../arranging/arrange.ts'
import { draft } from '../arranging/inputs.ts'
import { attemptOf, eventIds, leaseAndSettle, leaseDue, leaseLane, retryOf, settleLane } from '../arranging/lanes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import { disable, enable, remove, skipToNow } from '../arranging/subscription-acts.ts'
import { listed, statesOf } from '../reading/listing.ts'
import { countAndResend } from './count-and-resend.ts'

export function describeResendingRanges(it: StoreIt): void {
  describe('resending a range, which does what a count said before', () => {
    it('resends ended deliveries step by step, and no delivery twice', async ({ store, advance }) => {
      const { account, subscription } = await addSubscriber(store)
      const early = await feed(store, account, 2)
      await leaseAndSettle(store, {
        attempts: early.map((id) => attemptOf(id, { outcome: 'exhausted', number: 10 })),
        ended: early,
      })
      await advance(60_000)
      const from = new Date(subscription.createdAt.getTime() + 30_000)
      const ids = await feed(store, account, 5)
      await leaseAndSettle(store, {
        attempts: ids.map((id, index) => attemptOf(id, { outcome: index === 2 ? 'delivered' : 'exhausted' })),
        ended: ids,
      })
      const failed = ids.filter((_, index) => index !== 2)
      const range = { states: ['exhausted'], from, to: undefined, limit: 3 } as const
      const reached: number[] = []
      const sendAll = async () => {
        let count = 0
        for (let steps = 0, after: RangePlace | undefined; steps < 10; steps++) {
          const step = await countAndResend(store, subscription, { ...range, after })
          if (typeof step === 'string') throw new Error(step)
          count += step.resent
          reached.push(step.reachedAt?.getTime() ?? 0)
          after = step.next
          if (after === undefined) return count
        }
        throw new Error('the range has no end')
      }
      expect(await sendAll()).toBe(4)
      expect(reached).toEqual([...reached].sort((a, b) => a - b))
      expect([reached[0]! < from.getTime(), reached.at(-1)! >= from.getTime()]).toEqual([false, true])
      expect(await sendAll()).toBe(0)
      expect(await statesOf(store, subscription, early)).toEqual(['exhausted', 'exhausted'])
      const lane = await leaseAndSettle(store, {
        attempts: failed.map((id) => attemptOf(id, { outcome: 'delivered' })),
        ended: failed,
      })
      expect(eventIds(lane).sort()).toEqual([...failed].sort())
      expect(await sendAll()).toBe(0)
      expect(await leaseDue(store)).toEqual([])

      await disable(store, subscription)
      expect(await countAndResend(store, subscription, { ...range, after: undefined })).toBe('disabled')
      await remove(store, subscription)
      expect(await countAndResend(store, subscription, { ...range, after: undefined })).toBe('unknown')
    })

    it('makes retrying deliveries due now on request, keeps their attempts, and counts each delivery once', async ({
      store,
    }) => {
      const { account, subscription } = await addSubscriber(store)
      const ids = await feed(store, account, 4)
      const [exhausted, failing, due, delivered] = ids
      await leaseAndSettle(store, {
        attempts: [
          attemptOf(exhausted!, { outcome: 'exhausted' }),
          attemptOf(failing!, { number: 3 }),
          attemptOf(due!),
          attemptOf(delivered!, { outcome: 'delivered' }),
        ],
        retries: [retryOf(failing!, { attempts: 3 }), retryOf(due!, { delayMs: 0 })],
        ended: [exhausted!, delivered!],
      })
      const range = { from: new Date(0), to: undefined, after: undefined, limit: 10 }
      const step = (states: readonly ResendableState[]) => countAndResend(store, subscription, { ...range, states })
      expect(await step(['skipped', 'disabled'])).toMatchObject({ resent: 0, next: undefined })
      expect(await step(['retrying', 'exhausted'])).toMatchObject({
        resent: 2,
        found: { retrying: 2, exhausted: 1 },
        next: undefined,
      })
      expect(await step(['retrying', 'exhausted'])).toMatchObject({ resent: 0, found: { retrying: 2 } })
      expect(await step(['pending', 'exhausted'])).toMatchObject({ resent: 0, found: { pending: 1 } })
      const lane = await leaseLane(store)
      expect(lane.deliveries.map(({ eventId, attempts }) => [eventId, attempts]).sort()).toEqual(
        [
          [exhausted, 0],
          [failing, 3],
          [due, 1],
        ].sort(),
      )
    })

    it('makes a retry due again at once if its attempt in flight fails', async ({ store, advance }) => {
      const { account, subscription } = await addSubscriber(store)
      const [event] = await feed(store, account, 1)
      await leaseAndSettle(store, { retries: [retryOf(event!, { delayMs: 1000 })] })
      await advance(1000)
      const lane = await leaseLane(store)
      const range = { from: new Date(0), to: undefined, states: UNDELIVERED, after: undefined, limit: 10 }
      const step = () => countAndResend(store, subscription, range)
      expect(await step()).toMatchObject({ resent: 1, found: { retrying: 1 } })
      expect(await step()).toMatchObject({ resent: 0, found: { retrying: 1 } })
      await settleLane(store, lane, {
        ...{ succeeded: false, breakerFailures: 5, failedAttempts: 1, pauseMs: 60_000 },
        attempts: [attemptOf(event!, { number: 2 })],
        retries: [retryOf(event!, { attempts: 2, delayMs: 600_000 })],
      })
      expect(eventIds(await leaseLane(store))).toEqual([event])
    })

    it('counts pending deliveries without moving them ahead, and makes a paused lane due for a probe', async ({
      store,
      advance,
    }) => {
      const { account, subscription } = await addSubscriber(store)
      const [failed] = await feed(store, account, 1)
      await leaseAndSettle(store, {
        ...{ succeeded: false, breakerFailures: 5, failedAttempts: 1, pauseMs: 60_000 },
        attempts: [attemptOf(failed!)],
        retries: [retryOf(failed!, { delayMs: 1_000 })],
      })
      await feed(store, account, 3)
      await advance(2_000)
      expect(await leaseDue(store)).toEqual([])
      const range = { from: new Date(0), to: undefined, states: UNDELIVERED, after: undefined, limit: 10 }
      expect(await countAndResend(store, subscription, range)).toEqual({
        resent: 0,
        found: { retrying: 1, pending: 3 },
        reachedAt: expect.any(Date),
        next: undefined,
      })
      expect(eventIds(await leaseLane(store))).toEqual([failed])
    })

    it('finds deliveries in every requested state, in the order of the feed', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store)
      const skipped = await feed(store, account, 3)
      await skipToNow(store, subscription)
      const [exhausted] = await feed(store, account, 1)
      await leaseAndSettle(store, { attempts: [attemptOf(exhausted!, { outcome: 'exhausted' })], ended: [exhausted!] })
      const unsequenced = [draft(account), draft(account), draft(account)]
      for (const event of unsequenced) await publish(store, event)
      await disable(store, subscription)
      await enable(store, subscription)
      await store.deliveries.sequence(10)
      const states = ['exhausted', 'skipped', 'disabled'] as const
      const range = { from: new Date(0), to: undefined, states }
      const last = unsequenced.map(({ id }) => id).sort()
      const order = [...skipped, exhausted, ...last]
      for (let sent = 2, after: RangePlace | undefined; sent < 10; sent += 2) {
        const step = await countAndResend(store, subscription, { ...range, after, limit: 2 })
        if (typeof step === 'string') throw new Error(step)
        const again = await listed(store, subscription, { state: 'pending' })
        expect(again.map(({ eventId }) => eventId).sort()).toEqual(order.slice(0, sent).sort())
        after = step.next
        expect(after === undefined).toBe(sent > order.length)
      }
    })
  })
}
