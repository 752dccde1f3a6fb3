import { createId } from '@callboard/core'
import type { LeasedLane } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addAccount, addKey, addSubscriber, addSubscription, feed, publish } from '../arranging/arrange.ts'
import { draft, draftsOfOneSubject } from '../arranging/inputs.ts'
import { eventIds, leaseAndSettle, leaseDue, leaseLane, retryOf, settleLane } from '../arranging/lanes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import { disable } from '../arranging/subscription-acts.ts'

export function describeSequencing(it: StoreIt): void {
  describe('sequencing', () => {
    it('sequences each event once, at most the requested number at a time', async ({ store }) => {
      expect((await store.deliveries.sequence(10)).sequenced).toBe(0)
      const { account } = await addSubscriber(store)
      const drafts = draftsOfOneSubject(account, 5)
      await publish(store, ...drafts)
      expect((await store.deliveries.sequence(3)).sequenced).toBe(3)
      expect((await store.deliveries.sequence(3)).sequenced).toBe(2)
      expect((await store.deliveries.sequence(3)).sequenced).toBe(0)
      const lane = await leaseLane(store)
      expect(eventIds(lane)).toEqual(drafts.map(({ id }) => id))
      const positions = lane.deliveries.map(({ position }) => position!)
      expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b))
    })

    it('orders the events of a subject by their sequence, whatever their ids', async ({ store }) => {
      const { account } = await addSubscriber(store)
      const drafts = draftsOfOneSubject(account, 4).map((each, index) => ({ ...each, sequence: 4 - index }))
      const between = draft(account)
      await publish(store, ...drafts.slice(0, 2), between)
      await publish(store, ...drafts.slice(2))
      await store.deliveries.sequence(10)
      const ids = eventIds(await leaseLane(store)).filter((id) => id !== between.id)
      expect(ids).toEqual(drafts.map(({ id }) => id).reverse())
    })

    it('never sequences a later event of a subject before an earlier one, even in small steps', async ({ store }) => {
      const { account } = await addSubscriber(store)
      const [third, second, first] = draftsOfOneSubject(account, 3)
      await publish(store, first!, second!)
      await publish(store, third!)
      for (let passes = 0; passes < 3; passes++) await store.deliveries.sequence(1)
      expect(eventIds(await leaseLane(store))).toEqual([first!.id, second!.id, third!.id])
    })

    it('sequences events in the order in which they became visible, whatever their ids', async ({ store }) => {
      const { account } = await addSubscriber(store)
      const [low, high] = [draft(account), draft(account)]
      await publish(store, high)
      await store.deliveries.sequence(10)
      await publish(store, low)
      await store.deliveries.sequence(10)
      expect(eventIds(await leaseLane(store))).toEqual([high.id, low.id])
    })

    it('wakes only the lanes of subscriptions to the event’s type in its account and mode', async ({ store }) => {
      const { account, key } = await addSubscriber(store, { subscription: { eventTypes: ['order.refunded'] } })
      const both = await addSubscription(store, key, { eventTypes: ['order.refunded', 'order.paid'] })
      const matching = await addSubscription(store, key)
      await addSubscription(store, await addKey(store, account, { mode: 'test' }))
      await addSubscriber(store)
      await feed(store, account, 1)
      expect((await leaseDue(store)).map(({ lease }) => lease.id).sort()).toEqual([both.id, matching.id].sort())
    })

    it('delivers several types to a subscription in the order of the feed', async ({ store }) => {
      const { account } = await addSubscriber(store, { subscription: { eventTypes: ['a.one', 'a.two'] } })
      const types = ['a.two', 'a.one', 'a.three', 'a.two', 'a.one', 'a.one']
      const drafts = draftsOfOneSubject(account, types.length).map((each, index) => ({ ...each, type: types[index]! }))
      await publish(store, ...drafts)
      await store.deliveries.sequence(10)
      const matching = drafts.filter(({ type }) => type !== 'a.three').map(({ id }) => id)
      expect(eventIds(await leaseAndSettle(store))).toEqual(matching)
    })

    it('reports how many events wait to be sequenced, for how long, and which of them is next', async ({
      store,
      advance,
    }) => {
      const nothing = { outbox: 0, outboxAgeMs: 0, next: undefined }
      expect(await store.deliveries.backlog()).toMatchObject(nothing)
      const [first, second] = draftsOfOneSubject(await addAccount(store), 2)
      await publish(store, first!)
      await advance(60_000)
      await publish(store, second!)
      const { outbox, outboxAgeMs, next } = await store.deliveries.backlog()
      expect([outbox, next]).toEqual([2, first!.id])
      expect(outboxAgeMs).toBeGreaterThanOrEqual(60_000)
      expect(outboxAgeMs).toBeLessThan(90_000)
      await store.deliveries.sequence(1)
      expect((await store.deliveries.backlog()).next).toBe(second!.id)
      await store.deliveries.sequence(10)
      expect(await store.deliveries.backlog()).toMatchObject(nothing)
    })

    it('reports the outbox, lane lag, retries and disabled subscriptions of all accounts together', async ({
      store,
      advance,
    }) => {
      const nothing = {
        outbox: 0,
        outboxAgeMs: 0,
        laneLagMs: 0,
        undeliveredMs: 0,
        retries: 0,
        pausedLanes: 0,
        waitingAccounts: 0,
        heldBackHosts: 0,
      }
      const disabled = { gone: 0, failing: 0, key: 0, account: 0, platform: 0 }
      expect(await store.deliveries.gauges()).toMatchObject({ ...nothing, disabled })

      const { account, key } = await addSubscriber(store)
      const [id] = await feed(store, account, 1)
      await publish(store, draft(account))
      await advance(60_000)
      const waiting = await store.deliveries.gauges()
      expect(waiting).toMatchObject({ outbox: 1, retries: 0, disabled })
      for (const lag of [waiting.outboxAgeMs, waiting.laneLagMs, waiting.undeliveredMs]) {
        expect(lag).toBeGreaterThanOrEqual(60_000)
        expect(lag).toBeLessThan(90_000)
      }

      await leaseAndSettle(store, { retries: [retryOf(id!)] })
      await store.deliveries.sequence(10)
      await leaseAndSettle(store)
      const retrying = await store.deliveries.gauges()
      expect(retrying).toMatchObject({ laneLagMs: 0, retries: 1 })
      expect(retrying.undeliveredMs).toBeGreaterThanOrEqual(60_000)

      for (const reason of ['gone', 'platform', 'platform', 'key', 'failing', 'account'] as const)
        await disable(store, await addSubscription(store, key), reason)
      expect((await store.deliveries.gauges()).disabled).toEqual({
        gone: 1,
        failing: 1,
        key: 1,
        account: 1,
        platform: 2,
      })
    })

    it('returns the trace of the publisher with each delivery, including retries', async ({ store, advance }) => {
      const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
      const { account } = await addSubscriber(store)
      const known = { id: createId('evt'), ownId: true, digests: ['k1.one'] }
      const drafts = [
        draft(account, { trace }),
        draft(account),
        draft(account, { trace: trace.replace('-01', '-00') }),
        draft(account, { ...known, trace }),
      ]
      const [alone, ...together] = drafts
      await publish(store, alone!)
      await publish(store, ...together.slice(0, 2))
      await publish(store, together[2]!)
      await store.deliveries.sequence(10)
      const traces = Object.fromEntries(drafts.map((each) => [each.id, each.trace]))
      const tracesOf = ({ deliveries }: LeasedLane) =>
        Object.fromEntries(deliveries.map((each) => [each.eventId, each.trace]))
      const lane = await leaseLane(store)
      expect(tracesOf(lane)).toEqual(traces)
      await settleLane(store, lane, { settledThrough: lane.through, retries: drafts.map(({ id }) => retryOf(id)) })
      await advance(60_000)
      expect(tracesOf(await leaseLane(store))).toEqual(traces)
    })
  })
}
