import type { LaneSettlement, LeasedLane } from '@callboard/core'
import { FAILING_RULE } from '@callboard/core'
import { describe, expect } from 'vitest'
import { addAccount, addSubscriber, feed } from './arrange.ts'
import {
  attemptOf,
  eventIds,
  LEASE_MS,
  leaseAndSettle,
  leaseLane,
  leaseLanes,
  retryOf,
  settleLane,
  settlementOf,
} from './lanes.ts'
import type { StoreIt } from './store-it.ts'

const ALL = { eventId: undefined, before: undefined, limit: 100 }

export function describeSettling(it: StoreIt): void {
  describe('settling', () => {
    it('writes attempts down with the time they started', async ({ store, advance }) => {
      const { account, key, subscription } = await addSubscriber(store)
      const [first, second] = await feed(store, account, 2)
      const lane = await leaseLane(store)
      const failed = attemptOf(first!, { durationMs: 1500 })
      const silent = attemptOf(second!, { status: undefined, reason: 'timeout', response: undefined })
      await settleLane(store, lane, { attempts: [failed], retries: [retryOf(first!)], keep: true })
      await advance(10_000)
      await settleLane(store, lane, { attempts: [silent] })
      const logged = await store.deliveryLog.attempts(subscription, ALL)
      const kept = { subscriptionId: subscription.id, startedAt: expect.any(Date) }
      expect(logged).toEqual([
        { ...silent, ...kept },
        { ...failed, ...kept },
      ])
      const sinceKey = logged[1]!.startedAt.getTime() - key.createdAt.getTime()
      expect(sinceKey).toBeGreaterThanOrEqual(-1500)
      expect(sinceKey).toBeLessThan(9000)
    })

    it('lists the attempts of a subscription, newest first, or of one event', async ({ store, advance }) => {
      const { account, subscription } = await addSubscriber(store)
      const [first, second] = await feed(store, account, 2)
      const lane = await leaseLane(store)
      const attempts = [
        attemptOf(first!),
        attemptOf(second!),
        attemptOf(first!, { number: 2, outcome: 'delivered', status: 204 }),
      ]
      for (const attempt of attempts) {
        await settleLane(store, lane, { attempts: [attempt], keep: true })
        await advance(1000)
      }
      const ids = async (options: Parameters<typeof store.deliveryLog.attempts>[1], ref = subscription) =>
        (await store.deliveryLog.attempts(ref, options)).map(({ id }) => id)
      const newestFirst = attempts.map(({ id }) => id).reverse()
      expect(await ids(ALL)).toEqual(newestFirst)
      expect(await ids({ ...ALL, limit: 2 })).toEqual(newestFirst.slice(0, 2))
      expect(await ids({ eventId: first, before: undefined, limit: 100 })).toEqual([newestFirst[0], newestFirst[2]])
      expect(await ids({ eventId: first, before: undefined, limit: 1 })).toEqual([newestFirst[0]])
      expect(await ids(ALL, { ...subscription, accountId: (await addAccount(store)).id })).toEqual([])
      expect(await ids(ALL, { ...subscription, mode: 'test' })).toEqual([])
    })

    it('moves the cursor: what is behind it is not sent again, what is before it comes next', async ({ store }) => {
      const { account } = await addSubscriber(store)
      const ids = await feed(store, account, 3)
      const lane = await leaseLane(store)
      await settleLane(store, lane, { cursor: lane.deliveries[0]!.position! })
      const rest = await leaseLane(store)
      expect(eventIds(rest)).toEqual(ids.slice(1))
      expect(rest.cursor).toBe(lane.deliveries[0]?.position)
      await settleLane(store, rest)
      expect(await leaseLanes(store)).toEqual([])
    })

    it('gives a lane back with what came meanwhile', async ({ store }) => {
      const { account } = await addSubscriber(store)
      await feed(store, account, 1)
      const lane = await leaseLane(store)
      const fresh = await feed(store, account, 1)
      expect(await leaseLanes(store)).toEqual([])
      await settleLane(store, lane)
      expect(eventIds(await leaseLane(store))).toEqual(fresh)
    })

    it('keeps the lease, its epoch and its end, for the sends still to come', async ({ store, advance }) => {
      const { account } = await addSubscriber(store)
      const ids = await feed(store, account, 2)
      const lane = await leaseLane(store)
      await advance(LEASE_MS / 2)
      await settleLane(store, lane, { cursor: lane.deliveries[0]!.position!, keep: true })
      expect(await leaseLanes(store)).toEqual([])
      expect(await store.deliveries.check([lane.lease])).toMatchObject([{ deliverable: true }])
      expect((await settleLane(store, lane, { cursor: lane.deliveries[0]!.position!, keep: true })).fenced).toEqual([])
      await advance(LEASE_MS / 2)
      expect(eventIds(await leaseLane(store))).toEqual(ids.slice(1))
    })

    it('rewrites a retry and ends it', async ({ store, advance }) => {
      const { account } = await addSubscriber(store)
      const [failed] = await feed(store, account, 1)
      await leaseAndSettle(store, { retries: [retryOf(failed!, { tries: 1, delayMs: 1000 })] })
      await advance(1000)
      const second = await leaseAndSettle(store, { retries: [retryOf(failed!, { tries: 2, delayMs: 5000 })] })
      expect(second.deliveries).toMatchObject([{ eventId: failed, tries: 1 }])
      expect(await leaseLanes(store)).toEqual([])
      await advance(5000)
      const third = await leaseAndSettle(store, { ended: [failed!] })
      expect(third.deliveries).toMatchObject([{ eventId: failed, tries: 2 }])
      await advance(600_000)
      expect(await leaseLanes(store)).toEqual([])
    })

    it('leaves a lane alone while its breaker pauses it, whatever comes', async ({ store, advance }) => {
      const { account } = await addSubscriber(store)
      const ids = await feed(store, account, 2)
      await leaseAndSettle(store, { cursor: 0, succeeded: false, failedTries: 1, failures: 5, pauseMs: 60_000 })
      await feed(store, account, 1)
      await advance(50_000)
      expect(await leaseLanes(store)).toEqual([])
      await advance(10_000)
      expect(eventIds(await leaseAndSettle(store))).toEqual(ids.slice(0, 1))
      expect(eventIds(await leaseLane(store))).toContain(ids[1])
    })

    it('writes nothing for a lease that was lost, and all else in the same call', async ({ store, advance }) => {
      const { account, subscription } = await addSubscriber(store)
      const [lostEvent] = await feed(store, account, 1)
      const lost = await leaseLane(store)
      await advance(LEASE_MS)
      const held = await leaseLane(store, { worker: 'w2' })
      const other = await addSubscriber(store)
      const [otherEvent] = await feed(store, other.account, 1)
      const fine = await leaseLane(store)
      const failure = (lane: LeasedLane, eventId: string): LaneSettlement =>
        settlementOf(lane, {
          attempts: [attemptOf(eventId)],
          retries: [retryOf(eventId, { delayMs: 0 })],
          disable: 'gone',
        })

      const { accountId, mode, id } = other.subscription
      const result = await store.deliveries.settle(
        [failure(lost, lostEvent!), failure(fine, otherEvent!)],
        FAILING_RULE,
      )
      expect(result).toEqual({ fenced: [lost.lease], disabled: [{ accountId, mode, id, reason: 'gone' }] })
      expect(await store.deliveryLog.attempts(subscription, ALL)).toEqual([])
      expect(await store.deliveryLog.attempts(other.subscription, ALL)).toHaveLength(1)
      expect(await store.subscriptions.find(subscription)).toEqual(subscription)
      await settleLane(store, held)
      expect(await leaseLanes(store)).toEqual([])
    })

    it('disables a subscription when the worker says so, and ends what waits', async ({ store, advance }) => {
      const { account, subscription } = await addSubscriber(store)
      const [first] = await feed(store, account, 2)
      const { accountId, mode, id } = subscription
      const lane = await leaseLane(store)
      const said = { cursor: lane.cursor + 1, retries: [retryOf(first!, { delayMs: 1000 })], disable: 'gone' } as const
      expect(await settleLane(store, lane, said)).toEqual({
        fenced: [],
        disabled: [{ accountId, mode, id, reason: 'gone' }],
      })
      expect(await store.subscriptions.find(subscription)).toMatchObject({ state: 'disabled', disabledReason: 'gone' })
      await advance(600_000)
      expect(await leaseLanes(store)).toEqual([])
    })

    it('writes down what was sent when the subscription was disabled meanwhile, and tries nothing of it again', async ({
      store,
      advance,
    }) => {
      const { account, subscription } = await addSubscriber(store)
      const [event] = await feed(store, account, 1)
      const lane = await leaseLane(store)
      await store.subscriptions.disable(subscription, 'manual')
      expect(await store.deliveries.check([lane.lease])).toMatchObject([{ deliverable: false }])
      const settled = await settleLane(store, lane, {
        attempts: [attemptOf(event!)],
        retries: [retryOf(event!, { delayMs: 0 })],
        disable: 'gone',
      })
      expect(settled).toEqual({ fenced: [], disabled: [] })
      expect(await store.subscriptions.find(subscription)).toMatchObject({
        state: 'disabled',
        disabledReason: 'manual',
      })
      expect(
        await store.deliveryLog.attempts(subscription, { eventId: undefined, before: undefined, limit: 5 }),
      ).toHaveLength(1)
      await advance(LEASE_MS)
      expect(await leaseLanes(store)).toEqual([])
      await store.subscriptions.enable(subscription)
      expect(await leaseLanes(store)).toEqual([])
    })

    it('disables nothing twice: an earlier reason stands', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store)
      await feed(store, account, 1)
      const lane = await leaseLane(store)
      await store.subscriptions.disable(subscription, 'manual')
      expect((await settleLane(store, lane, { disable: 'gone' })).disabled).toEqual([])
      expect(await store.subscriptions.find(subscription)).toMatchObject({ disabledReason: 'manual' })
    })

    it('writes nothing for a subscription that was removed meanwhile', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store)
      const [event] = await feed(store, account, 1)
      const lane = await leaseLane(store)
      await store.subscriptions.remove(subscription, 'api')
      expect((await settleLane(store, lane, { attempts: [attemptOf(event!)] })).fenced).toEqual([lane.lease])
      expect(await store.deliveryLog.attempts(subscription, ALL)).toEqual([])
    })

    it('takes nothing from a worker that gave its lane back, whatever became of the subscription', async ({
      store,
    }) => {
      const { account, subscription } = await addSubscriber(store)
      const [event] = await feed(store, account, 1)
      const lane = await leaseLane(store)
      await settleLane(store, lane, {
        attempts: [attemptOf(event!, { outcome: 'gone', status: 410 })],
        disable: 'gone',
      })
      expect((await settleLane(store, lane, { attempts: [attemptOf(event!)] })).fenced).toEqual([lane.lease])
      expect(await store.deliveryLog.attempts(subscription, ALL)).toHaveLength(1)
    })

    it('gives back what is leased, and fences who held it', async ({ store }) => {
      const { account } = await addSubscriber(store)
      await feed(store, account, 1)
      const lane = await leaseLane(store)
      expect(await leaseLanes(store)).toEqual([])
      expect(await store.deliveries.releaseLeases()).toBe(1)
      expect(await store.deliveries.releaseLeases()).toBe(0)
      expect((await settleLane(store, lane)).fenced).toEqual([lane.lease])
      expect(eventIds(await leaseLane(store))).toEqual(eventIds(lane))
    })

    it('has nothing to sweep where no wake-up was lost', async ({ store }) => {
      const { account, key } = await addSubscriber(store)
      await feed(store, account, 1)
      const lane = await leaseLane(store)
      await feed(store, account, 1)
      expect(await store.deliveries.sweep()).toBe(0)
      expect(await leaseLanes(store)).toEqual([])
      await store.keys.revoke(account.id, key.id)
      expect(await store.deliveries.sweep()).toBe(0)
      await settleLane(store, lane)
      expect(await leaseLanes(store)).toEqual([])
    })
  })
}
