import { FAILING_RULE } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addAccount, addSubscriber, feed } from '../arranging/arrange.ts'
import { ENTRY } from '../arranging/inputs.ts'
import {
  ALL_ATTEMPTS,
  attemptOf,
  eventIds,
  LEASE_MS,
  leaseDue,
  leaseLane,
  retryOf,
  settleLane,
  settlementOf,
} from '../arranging/lanes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import { healthOf } from '../health/health-of.ts'

export function describeSettling(it: StoreIt): void {
  describe('settling', () => {
    it('records attempts with the time they started', async ({ store, advance }) => {
      const { account, key, subscription } = await addSubscriber(store)
      const [first, second] = await feed(store, account, 2)
      const lane = await leaseLane(store)
      const failed = attemptOf(first!, { durationMs: 1500 })
      const silent = attemptOf(second!, { status: undefined, reason: 'timeout', response: undefined })
      await settleLane(store, lane, { attempts: [failed], retries: [retryOf(first!)], keep: true })
      await advance(10_000)
      await settleLane(store, lane, { attempts: [silent] })
      const logged = await store.deliveryLog.attempts(subscription, ALL_ATTEMPTS)
      const kept = { subscriptionId: subscription.id, startedAt: expect.any(Date) }
      expect(logged).toEqual([
        { ...silent, ...kept },
        { ...failed, ...kept },
      ])
      const sinceKey = logged[1]!.startedAt.getTime() - key.createdAt.getTime()
      expect(sinceKey).toBeGreaterThanOrEqual(-1500)
      expect(sinceKey).toBeLessThan(9000)
    })

    it('lists the attempts of a subscription or of one event, newest first', async ({ store, advance }) => {
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
      expect(await ids(ALL_ATTEMPTS)).toEqual(newestFirst)
      expect(await ids({ ...ALL_ATTEMPTS, limit: 2 })).toEqual(newestFirst.slice(0, 2))
      expect(await ids({ eventId: first, before: undefined, limit: 100 })).toEqual([newestFirst[0], newestFirst[2]])
      expect(await ids({ eventId: first, before: undefined, limit: 1 })).toEqual([newestFirst[0]])
      expect(await ids(ALL_ATTEMPTS, { ...subscription, accountId: (await addAccount(store)).id })).toEqual([])
      expect(await ids(ALL_ATTEMPTS, { ...subscription, mode: 'test' })).toEqual([])
    })

    it('leases a settled lane again if events arrived during the lease', async ({ store }) => {
      const { account } = await addSubscriber(store)
      await feed(store, account, 1)
      const lane = await leaseLane(store)
      const fresh = await feed(store, account, 1)
      expect(await leaseDue(store)).toEqual([])
      await settleLane(store, lane)
      expect(eventIds(await leaseLane(store))).toEqual(fresh)
    })

    it('keeps the lease on request, with its epoch and expiry', async ({ store, advance }) => {
      const { account } = await addSubscriber(store)
      const ids = await feed(store, account, 2)
      const lane = await leaseLane(store)
      await advance(LEASE_MS / 2)
      await settleLane(store, lane, { settledThrough: lane.deliveries[0]!.position!, keep: true })
      expect(await leaseDue(store)).toEqual([])
      expect(await store.deliveries.checkLeases([lane.lease])).toMatchObject([{ deliverable: true }])
      expect(
        (await settleLane(store, lane, { settledThrough: lane.deliveries[0]!.position!, keep: true })).fenced,
      ).toEqual([])
      await advance(LEASE_MS / 2)
      expect(eventIds(await leaseLane(store))).toEqual(ids.slice(1))
    })

    it('settles a part of a visit once, if the worker lost the answer and settles it again', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store)
      const [open, answered] = await feed(store, account, 2)
      const lane = await leaseLane(store)
      const attempt = attemptOf(answered!, { outcome: 'delivered', status: 200 })
      const retries = [retryOf(open!, { attempts: 0, delayMs: 0 })]
      const part = settlementOf(lane, { attempts: [attempt], ended: [answered!], retries, keep: true })
      const settle = async () => (await store.deliveries.settle([part], FAILING_RULE)).fenced
      expect([await settle(), await settle()]).toEqual([[], []])
      await settleLane(store, lane, { attempts: [attemptOf(open!)], retries: [retryOf(open!, { delayMs: 0 })] })
      expect(await store.deliveryLog.attempts(subscription, ALL_ATTEMPTS)).toHaveLength(2)
      const { hours } = await healthOf(store, subscription)
      expect(hours.reduce((sum, { delivered }) => sum + delivered, 0)).toBe(1)
      expect((await leaseLane(store)).deliveries).toMatchObject([{ eventId: open, attempts: 1 }])
    })

    it('leases a postponed lane again after its time, with the same deliveries and without suspicion', async ({
      store,
      advance,
    }) => {
      const { account } = await addSubscriber(store)
      const ids = await feed(store, account, 2)
      for (let times = 0; times < 4; times++) {
        const lane = await leaseLane(store)
        expect(lane.deliveries).toMatchObject(ids.map((eventId) => ({ eventId, attempts: 0, suspect: false })))
        await settleLane(store, lane, { settledThrough: lane.settledThrough, succeeded: false, postponeMs: 1_000 })
        expect(await leaseDue(store)).toEqual([])
        await advance(1_000)
      }
    })

    it('leases a postponed lane at once if a delivery is resent meanwhile', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store)
      const [done, postponed] = await feed(store, account, 2)
      const first = await leaseLane(store, { perLane: 1 })
      await settleLane(store, first, { attempts: [attemptOf(done!, { outcome: 'delivered', status: 200 })] })
      const lane = await leaseLane(store)
      await store.deliveryLog.resend(subscription, done!, ENTRY)
      await settleLane(store, lane, { settledThrough: lane.settledThrough, succeeded: false, postponeMs: 1_000 })
      expect(eventIds(await leaseLane(store))).toEqual([done, postponed])
    })
  })
}
