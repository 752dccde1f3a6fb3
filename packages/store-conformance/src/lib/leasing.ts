import { describe, expect } from 'vitest'
import { addSubscriber, addSubscription, feed, publish } from './arrange.ts'
import { draft } from './inputs.ts'
import { eventIds, LEASE_MS, leaseAndSettle, leaseLane, leaseLanes, retryOf, settleLane } from './lanes.ts'
import type { StoreIt } from './store-it.ts'

export function describeLeasing(it: StoreIt): void {
  describe('leasing', () => {
    it('leases nothing when nothing is due', async ({ store }) => {
      await addSubscriber(store)
      expect(await leaseLanes(store)).toEqual([])
    })

    it('returns everything that a worker needs to send', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store)
      const event = draft(account)
      await publish(store, event)
      await store.deliveries.sequence(10)
      const lane = await leaseLane(store)
      const { accountId, mode, id } = subscription
      const body = `${event.head}${JSON.stringify(account.name)}${event.middle}1${event.tail}`
      expect(lane).toEqual({
        lease: { accountId, mode, id, epoch: expect.any(Number) },
        targetUrl: subscription.targetUrl,
        secrets: subscription.secrets,
        standing: { deliverable: true, hold: undefined, personalData: false },
        cursor: expect.any(Number),
        through: lane.deliveries[0]?.position,
        failures: 0,
        deliveries: [
          {
            eventId: event.id,
            position: expect.any(Number),
            attempts: 0,
            suspect: false,
            redacted: false,
            subject: undefined,
            blocked: false,
            event: { id: event.id, type: event.type, body, patch: null, fingerprint: 'f1' },
          },
        ],
      })
      expect(lane.cursor).toBeLessThan(lane.through)
    })

    it('leases at most the requested number of lanes and deliveries, and leases the rest later', async ({ store }) => {
      const { account, key } = await addSubscriber(store)
      await addSubscription(store, key)
      await addSubscription(store, key)
      const ids = await feed(store, account, 5)
      const lanes = await leaseLanes(store, { lanes: 2, perLane: 3 })
      expect(lanes.map(eventIds)).toEqual([ids.slice(0, 3), ids.slice(0, 3)])
      const rest = await leaseLanes(store, { lanes: 2, perLane: 3 })
      expect(rest.map(eventIds)).toEqual([ids.slice(0, 3)])
      for (const lane of lanes) {
        expect(lane.through).toBe(lane.deliveries[2]?.position)
        await settleLane(store, lane)
      }
      for (const lane of await leaseLanes(store, { perLane: 3 })) expect(eventIds(lane)).toEqual(ids.slice(3))
    })

    it('leases first the lanes that have waited longest', async ({ store, advance }) => {
      const subscribers = [await addSubscriber(store), await addSubscriber(store), await addSubscriber(store)]
      const order = [2, 0, 1].map((index) => subscribers[index]!)
      for (const { account } of order) {
        await feed(store, account, 1)
        await advance(1000)
      }
      for (const { subscription } of order)
        expect((await leaseLane(store, { lanes: 1 })).lease.id).toBe(subscription.id)
    })

    it('measures how long a retry has waited from the time when it was due', async ({ store, advance }) => {
      const [retrying, waiting] = [await addSubscriber(store), await addSubscriber(store)]
      const [failed] = await feed(store, retrying.account, 1)
      await leaseAndSettle(store, { retries: [retryOf(failed!, { delayMs: 60_000 })] })
      await advance(30_000)
      await feed(store, waiting.account, 1)
      await advance(60_000)
      for (const { subscription } of [waiting, retrying])
        expect((await leaseLane(store, { lanes: 1 })).lease.id).toBe(subscription.id)
    })

    it('leases a lane to one worker until the lease expires, then to another, and fences the first', async ({
      store,
      advance,
    }) => {
      const { account } = await addSubscriber(store)
      const ids = await feed(store, account, 1)
      const lane = await leaseLane(store)
      await advance(LEASE_MS - 10_000)
      await feed(store, account, 1)
      expect(await leaseLanes(store)).toEqual([])
      await advance(10_000)
      const again = await leaseLane(store, { worker: 'w2' })
      expect(eventIds(again)[0]).toBe(ids[0])
      expect(again.lease.epoch).toBeGreaterThan(lane.lease.epoch)
      expect(await store.deliveries.check([lane.lease, again.lease])).toMatchObject([
        { deliverable: false },
        { deliverable: true },
      ])
      expect((await settleLane(store, lane)).fenced).toEqual([lane.lease])
      expect((await settleLane(store, again)).fenced).toEqual([])
    })

    it('leases lanes of slow targets only on request', async ({ store }) => {
      const { account } = await addSubscriber(store)
      await feed(store, account, 1)
      await leaseAndSettle(store, { slow: true })
      await feed(store, account, 1)
      expect(await leaseLanes(store, { slow: false })).toEqual([])
      const lane = await leaseLane(store, { slow: true })
      await settleLane(store, lane, { slow: false })
      await feed(store, account, 1)
      expect(await leaseLanes(store, { slow: true })).toEqual([])
      expect(await leaseLanes(store, { slow: false })).toHaveLength(1)
    })

    it('skips the accounts in leaveOut, and leases lanes of other accounts instead', async ({ store }) => {
      const [first, second] = [await addSubscriber(store), await addSubscriber(store)]
      await feed(store, first.account, 1)
      await feed(store, second.account, 1)
      const [lane, ...more] = await leaseLanes(store, { lanes: 1, leaveOut: [first.account.id] })
      expect(lane?.lease.accountId).toBe(second.account.id)
      expect(more).toEqual([])
      expect(await leaseLanes(store, { leaveOut: [first.account.id] })).toEqual([])
      expect(await leaseLanes(store)).toHaveLength(1)
    })

    it('returns due retries first, in the order in which they were due, and leaves room for the feed', async ({
      store,
      advance,
    }) => {
      const { account } = await addSubscriber(store)
      const old = await feed(store, account, 4)
      const retries = old.map((id, index) => retryOf(id, { delayMs: 40_000 - index * 10_000, attempts: index + 1 }))
      const events = new Map(
        (await leaseAndSettle(store, { retries })).deliveries.map(({ eventId, event }) => [eventId, event]),
      )
      await advance(30_000)
      const fresh = await feed(store, account, 4)
      const due = [3, 2, 1].map((index) => ({
        eventId: old[index]!,
        position: undefined,
        attempts: index + 1,
        suspect: false,
        redacted: false,
        subject: undefined,
        blocked: false,
        event: events.get(old[index]!),
      }))

      const half = await leaseLane(store, { perLane: 3 })
      expect(half.deliveries.slice(0, 2)).toEqual(due.slice(0, 2))
      expect(eventIds(half).slice(2)).toEqual(fresh.slice(0, 1))
      expect(half.through).toBe(half.deliveries[2]?.position)
      await settleLane(store, half, { cursor: half.cursor })

      const all = await leaseLane(store, { perLane: 20 })
      expect(all.deliveries.slice(0, 3)).toEqual(due)
      expect(eventIds(all).slice(3)).toEqual(fresh)
    })

    it('leases a lane again when its next retry is due', async ({ store, advance }) => {
      const { account } = await addSubscriber(store)
      const [late, early, last] = await feed(store, account, 3)
      const delays = [600_000, 60_000, 1_200_000]
      const retries = [late, early, last].map((id, index) => retryOf(id!, { delayMs: delays[index]! }))
      await leaseAndSettle(store, { retries })
      await advance(50_000)
      expect(await leaseLanes(store)).toEqual([])
      await advance(10_000)
      expect(eventIds(await leaseAndSettle(store, { ended: [early!] }))).toEqual([early])
      await advance(530_000)
      expect(await leaseLanes(store)).toEqual([])
      await advance(10_000)
      expect(eventIds(await leaseLane(store))).toEqual([late])
    })

    it('does not delay new events because of a retry that is not due', async ({ store }) => {
      const { account } = await addSubscriber(store)
      const [failed] = await feed(store, account, 1)
      await leaseAndSettle(store, { retries: [retryOf(failed!)] })
      const fresh = await feed(store, account, 1)
      expect(eventIds(await leaseLane(store))).toEqual(fresh)
    })
  })
}
