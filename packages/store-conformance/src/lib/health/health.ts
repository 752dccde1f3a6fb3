import { CAPS, type SubscriptionRef } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addAccount, addKey, addSubscriber, addSubscription, feed, feedDrafts, publish } from '../arranging/arrange.ts'
import { draft, ENTRY } from '../arranging/inputs.ts'
import { attemptOf, LEASE_MS, leaseDue, leaseLane, retryOf, settleLane } from '../arranging/lanes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import { disable, remove } from '../arranging/subscription-acts.ts'
import { healthOf } from './health-of.ts'

const HOUR_MS = 3_600_000

export function describeHealth(it: StoreIt): void {
  describe('the health of a subscription', () => {
    it('is empty for a new subscription, and undefined for an unknown subscription', async ({ store }) => {
      const { subscription } = await addSubscriber(store)
      expect(await healthOf(store, subscription)).toMatchObject({
        failing: undefined,
        pausedUntil: undefined,
        retrying: 0,
        oldestPendingAt: undefined,
        lastAttempt: undefined,
      })
      expect(await store.health.findWithHealth({ ...subscription, mode: 'test' })).toBeUndefined()
      expect(
        await store.health.findWithHealth({ ...subscription, accountId: (await addAccount(store)).id }),
      ).toBeUndefined()
      expect(await store.health.findWithHealth({ ...subscription, id: 'sub_x' })).toBeUndefined()
      await remove(store, subscription)
      expect(await store.health.findWithHealth(subscription)).toBeUndefined()
    })

    it('shows when attempts began to fail, how many have failed, and until when the lane is paused', async ({
      store,
      advance,
    }) => {
      const { account, subscription } = await addSubscriber(store)
      const [first, second] = await feed(store, account, 2)
      const lane = await leaseLane(store)
      const failing = { succeeded: false, failedAttempts: 1, breakerFailures: 1, keep: true }
      await settleLane(store, lane, { ...failing, attempts: [attemptOf(first!)], retries: [retryOf(first!)] })
      const { failing: once, pausedUntil } = await healthOf(store, subscription)
      expect([once, pausedUntil]).toEqual([{ since: expect.any(Date), attempts: 1 }, undefined])
      await advance(LEASE_MS / 2)
      const attempt = attemptOf(second!, { status: undefined, reason: 'timeout', durationMs: 1500 })
      const paused = { ...failing, failedAttempts: 3, keep: false, pauseMs: 10_000 }
      await settleLane(store, lane, { ...paused, attempts: [attempt], retries: [retryOf(second!)] })
      const twice = await healthOf(store, subscription)
      expect(twice).toMatchObject({
        failing: { since: once?.since, attempts: 4 },
        retrying: 2,
        lastAttempt: { outcome: 'failed', status: undefined, reason: 'timeout', eventId: second, durationMs: 1500 },
      })
      const started = twice.lastAttempt!.at.getTime()
      expect(twice.pausedUntil!.getTime() - started).toBeGreaterThan(10_000)
      expect(twice.pausedUntil!.getTime() - started).toBeLessThan(20_000)
      await advance(10_000)
      expect((await healthOf(store, subscription)).pausedUntil).toBeUndefined()
      await advance(60_000)
      const probe = await leaseLane(store)
      await settleLane(store, probe, { attempts: [attemptOf(first!, { outcome: 'delivered' })], ended: [first!] })
      expect(await healthOf(store, subscription)).toMatchObject({
        failing: undefined,
        retrying: 1,
        lastAttempt: { outcome: 'delivered', eventId: first },
      })
    })

    it('includes the failures of a disabled subscription, but counts no retries', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store)
      const [event, other] = await feed(store, account, 2)
      const lane = await leaseLane(store)
      await disable(store, subscription)
      const failed = {
        succeeded: false,
        failedAttempts: 1,
        breakerFailures: 1,
        pauseMs: 60_000,
        settledThrough: lane.settledThrough,
      }
      await settleLane(store, lane, { ...failed, attempts: [attemptOf(event!)], retries: [retryOf(other!)] })
      expect(await healthOf(store, subscription)).toMatchObject({
        failing: { attempts: 1 },
        pausedUntil: undefined,
        retrying: 0,
        oldestPendingAt: undefined,
        lastAttempt: { eventId: event },
      })
    })

    it('shows when the lane is due, unless it is leased, without work or disabled', async ({ store, advance }) => {
      const { account, subscription } = await addSubscriber(store)
      const nextAttempt = async () => (await healthOf(store, subscription)).nextAttemptAt
      expect(await nextAttempt()).toBeUndefined()
      const [event] = await feed(store, account, 1)
      const due = (await nextAttempt())!
      const lane = await leaseLane(store)
      expect(await nextAttempt()).toBeUndefined()
      const failed = { succeeded: false, failedAttempts: 1, breakerFailures: 1, pauseMs: 60_000 }
      await settleLane(store, lane, { ...failed, attempts: [attemptOf(event!)], retries: [retryOf(event!)] })
      const { nextAttemptAt, pausedUntil } = await healthOf(store, subscription)
      expect(nextAttemptAt).toEqual(pausedUntil)
      expect(nextAttemptAt!.getTime() - due.getTime()).toBeGreaterThanOrEqual(60_000)
      await advance(HOUR_MS)
      expect(await nextAttempt()).toEqual(nextAttemptAt)
      await disable(store, subscription)
      expect(await nextAttempt()).toBeUndefined()
    })

    it('says whether deliveries contain personal data, which the confirming key or the dashboard decides', async ({
      store,
    }) => {
      const sees = async (ref: SubscriptionRef) => (await healthOf(store, ref)).personalData
      const { account, key, subscription } = await addSubscriber(store)
      const permitted = await addKey(store, account, { scopes: ['webhooks.write', 'people.read'] })
      const sent = await addSubscription(store, permitted)
      expect([await sees(subscription), await sees(sent)]).toEqual([false, true])
      await disable(store, sent)
      expect(await sees(sent)).toBe(true)
      await store.keys.revokeKey(account.id, permitted.id, ENTRY)
      expect(await sees(sent)).toBe(false)
      const own = { source: 'dashboard', confirmedBy: undefined } as const
      expect(await sees(await addSubscription(store, key, { ...own, personalData: true }))).toBe(true)
      expect(await sees(await addSubscription(store, key, { ...own, personalData: false }))).toBe(false)
    })

    it('counts retries up to a limit', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store)
      const events = await feed(store, account, CAPS.retries + 1)
      await settleLane(store, await leaseLane(store), { retries: events.slice(0, -2).map((id) => retryOf(id)) })
      expect((await healthOf(store, subscription)).retrying).toBe(CAPS.retries - 1)
      await settleLane(store, await leaseLane(store, { perLane: 200 }), { retries: events.map((id) => retryOf(id)) })
      expect((await healthOf(store, subscription)).retrying).toBe(CAPS.retries)
    })

    it('shows when the oldest pending event was published, counting only events the subscription asks for', async ({
      store,
      advance,
    }) => {
      const { account, key } = await addSubscriber(store)
      await publish(store, draft(account))
      const late = await addSubscription(store, key, { eventTypes: ['order.paid', 'order.refunded'] })
      await store.deliveries.sequence(10)
      expect((await healthOf(store, late)).oldestPendingAt).toBeUndefined()
      await advance(HOUR_MS)
      await feedDrafts(store, draft(account, { type: 'order.moved' }), draft(account, { type: 'order.refunded' }))
      await advance(HOUR_MS)
      const [second] = await feed(store, account, 1)
      const { oldestPendingAt, hours } = await healthOf(store, late)
      const now = hours.at(-1)!.at.getTime()
      expect(now - oldestPendingAt!.getTime()).toBeGreaterThan(-HOUR_MS)
      expect(now - oldestPendingAt!.getTime()).toBeLessThan(2 * HOUR_MS)
      const lane = (await leaseDue(store)).find(({ lease }) => lease.id === late.id)!
      await settleLane(store, lane, {
        settledThrough: lane.deliveries.find(({ eventId }) => eventId === second)!.position! - 1,
      })
      const next = (await healthOf(store, late)).oldestPendingAt
      expect(next!.getTime() - oldestPendingAt!.getTime()).toBeGreaterThanOrEqual(HOUR_MS)
      await settleLane(store, (await leaseDue(store)).find(({ lease }) => lease.id === late.id)!)
      expect((await healthOf(store, late)).oldestPendingAt).toBeUndefined()
    })
  })
}
