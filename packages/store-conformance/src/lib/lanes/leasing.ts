import type { DuePlace } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addSubscriber, addSubscription, feed, feedDrafts } from '../arranging/arrange.ts'
import { draft } from '../arranging/inputs.ts'
import { eventIds, LEASE_MS, leaseAndSettle, leaseDue, leaseLane, retryOf, settleLane } from '../arranging/lanes.ts'
import type { StoreIt } from '../arranging/store-it.ts'

/** A search for all lanes that are due. */
const SEARCH = { limit: 100, after: undefined }

export function describeLeasing(it: StoreIt): void {
  describe('leasing', () => {
    it('returns everything that a worker needs to send', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store)
      const event = draft(account)
      await feedDrafts(store, event)
      const lane = await leaseLane(store)
      const { accountId, mode, id } = subscription
      const body = `${event.head}${JSON.stringify(account.name)}${event.middle}1${event.tail}`
      expect(lane).toEqual({
        lease: { accountId, mode, id, epoch: expect.any(Number) },
        targetUrl: subscription.targetUrl,
        apiVersion: subscription.apiVersion,
        secrets: subscription.secrets,
        standing: { deliverable: true, disable: undefined, personalData: false },
        settledThrough: expect.any(Number),
        through: lane.deliveries[0]?.position,
        breakerFailures: 0,
        deliveries: [
          {
            eventId: event.id,
            position: expect.any(Number),
            attempts: 0,
            suspect: false,
            redacted: false,
            subject: undefined,
            waiting: false,
            event: { id: event.id, type: event.type, body, patch: null, fingerprint: 'f1' },
          },
        ],
      })
      expect(lane.settledThrough).toBeLessThan(lane.through)
    })

    it('leases at most the requested number of lanes and deliveries, and leases the rest later', async ({ store }) => {
      const { account, key } = await addSubscriber(store)
      await addSubscription(store, key)
      await addSubscription(store, key)
      const ids = await feed(store, account, 5)
      const lanes = await leaseDue(store, { lanes: 2, perLane: 3 })
      expect(lanes.map(eventIds)).toEqual([ids.slice(0, 3), ids.slice(0, 3)])
      const rest = await leaseDue(store, { lanes: 2, perLane: 3 })
      expect(rest.map(eventIds)).toEqual([ids.slice(0, 3)])
      for (const lane of lanes) {
        expect(lane.through).toBe(lane.deliveries[2]?.position)
        await settleLane(store, lane)
      }
      for (const lane of await leaseDue(store, { perLane: 3 })) expect(eventIds(lane)).toEqual(ids.slice(3))
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
      expect(await leaseDue(store)).toEqual([])
      await advance(10_000)
      const again = await leaseLane(store, { worker: 'w2' })
      expect(eventIds(again)[0]).toBe(ids[0])
      expect(again.lease.epoch).toBeGreaterThan(lane.lease.epoch)
      expect(await store.deliveries.checkLeases([lane.lease, again.lease])).toMatchObject([
        { deliverable: false },
        { deliverable: true },
      ])
      expect((await settleLane(store, lane)).fenced).toEqual([lane.lease])
      expect((await settleLane(store, again)).fenced).toEqual([])
    })

    it('finds due lanes with their hosts, and says whether their targets were slow', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store)
      const { accountId, mode, id } = subscription
      await feed(store, account, 1)
      const found = await store.deliveries.due(SEARCH)
      const lane = {
        accountId,
        mode,
        id,
        host: new URL(subscription.targetUrl).host,
        slow: false,
        dueAt: expect.any(Number),
        epoch: expect.any(Number),
      }
      expect(found).toMatchObject({ lanes: [lane], rest: false })
      await leaseAndSettle(store, { slow: true })
      expect(await store.deliveries.due(SEARCH)).toMatchObject({ lanes: [] })
      await feed(store, account, 1)
      expect(await store.deliveries.due(SEARCH)).toMatchObject({ lanes: [{ ...lane, slow: true }] })
    })

    it('finds first the lanes that have waited longest, and continues where the last call ended, while there may be more', async ({
      store,
      advance,
    }) => {
      const subscribers = [await addSubscriber(store), await addSubscriber(store), await addSubscriber(store)]
      const byAge = [2, 0, 1].map((index) => subscribers[index]!)
      for (const { account } of byAge) {
        await feed(store, account, 1)
        await advance(60_000)
      }
      const found: string[] = []
      let after: DuePlace | undefined
      for (let rest = true; rest; ) {
        const step = await store.deliveries.due({ limit: 1, after })
        found.push(...step.lanes.map(({ id }) => id))
        if (found.length > 100) throw new Error('the search does not end')
        ;({ place: after, rest } = step)
        const taken = step.lanes.map((lane) => ({ ...lane, room: 1 }))
        await store.deliveries.lease({ worker: 'w1', call: 1, lanes: taken, leaseMs: LEASE_MS })
      }
      expect(found).toEqual(byAge.map(({ subscription }) => subscription.id))
    })

    it('finds each lane once in a search of several steps, even if all of them became due at once', async ({
      store,
    }) => {
      const { account, key } = await addSubscriber(store)
      for (let others = 0; others < 4; others++) await addSubscription(store, key)
      await feed(store, account, 1)
      const found: string[] = []
      let after: DuePlace | undefined
      for (let steps = 0, rest = true; rest && steps < 10; steps++) {
        const step = await store.deliveries.due({ limit: 2, after })
        found.push(...step.lanes.map(({ id }) => id))
        ;({ place: after, rest } = step)
      }
      expect(found).toHaveLength(5)
      expect(new Set(found).size).toBe(5)
    })

    it('leases those of the given lanes that are still due, and returns them in the given order', async ({ store }) => {
      const subscribers = [await addSubscriber(store), await addSubscriber(store), await addSubscriber(store)]
      for (const { account } of subscribers) await feed(store, account, 2)
      const { lanes } = await store.deliveries.due(SEARCH)
      const [first, second, third] = lanes.map((lane, index) => ({ ...lane, room: index + 1 }))
      const request = { worker: 'w1', call: 1, leaseMs: LEASE_MS }
      expect(await store.deliveries.lease({ ...request, lanes: [second!] })).toHaveLength(1)
      const rest = await store.deliveries.lease({ ...request, lanes: [third!, second!, first!] })
      expect(rest.map(({ lease: { id }, deliveries }) => [id, deliveries.length])).toEqual([
        [third!.id, 2],
        [first!.id, 1],
      ])
    })

    it('returns due retries first, in the order in which they were due, and leaves room for new events', async ({
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
        waiting: false,
        event: events.get(old[index]!),
      }))

      const half = await leaseLane(store, { perLane: 3 })
      expect(half.deliveries.slice(0, 2)).toEqual(due.slice(0, 2))
      expect(eventIds(half).slice(2)).toEqual(fresh.slice(0, 1))
      expect(half.through).toBe(half.deliveries[2]?.position)
      await settleLane(store, half, { settledThrough: half.settledThrough })

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
      expect(await leaseDue(store)).toEqual([])
      await advance(10_000)
      expect(eventIds(await leaseAndSettle(store, { ended: [early!] }))).toEqual([early])
      await advance(530_000)
      expect(await leaseDue(store)).toEqual([])
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
