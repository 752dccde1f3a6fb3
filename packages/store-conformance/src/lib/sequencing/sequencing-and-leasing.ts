import { FAILING_RULE, type LeasedLane, type Store } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addSubscriber, addSubscription, feed, feedDrafts, publish } from '../arranging/arrange.ts'
import { draft, SIGNATURES } from '../arranging/inputs.ts'
import {
  eventIds,
  leaseAndSettle,
  leaseDue,
  leaseLane,
  retryOf,
  sequenceAndLease,
  settleLane,
  settlementOf,
} from '../arranging/lanes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import { revise } from '../arranging/subscription-acts.ts'

/**
 * `sequence` may lease nothing and leave all lanes to the next `lease`. The tests therefore check the lanes
 * that the two calls return together.
 */
export function describeSequencingAndLeasing(it: StoreIt): void {
  describe('sequencing and leasing in one step', () => {
    it('returns everything that a worker needs to send, as a lease does', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store, {
        key: { scopes: ['webhooks.write', 'people.read'] },
      })
      await revise(store, subscription, { signatures: SIGNATURES })
      const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
      await feedDrafts(store, draft(account, { trace }))
      const leased = await leaseAndSettle(store)
      expect(leased.signatures).toEqual(SIGNATURES)
      const event = draft(account, { trace })
      await publish(store, event)
      const [lane, ...others] = await sequenceThenLease(store)
      expect(others).toEqual([])
      expect(lane).toEqual({
        ...leased,
        lease: { ...leased.lease, epoch: expect.any(Number) },
        settledThrough: leased.through,
        through: lane?.deliveries[0]?.position,
        deliveries: [
          {
            ...leased.deliveries[0],
            eventId: event.id,
            position: expect.any(Number),
            event: { ...leased.deliveries[0]?.event, id: event.id, body: expect.stringContaining(event.head) },
          },
        ],
      })
      expect(lane?.lease.epoch).toBeGreaterThan(leased.lease.epoch)
      expect(lane?.settledThrough).toBeLessThan(lane?.through ?? 0)
      expect(await store.deliveries.checkLeases([lane!.lease])).toEqual([lane?.standing])
      expect((await settleLane(store, lane!)).fenced).toEqual([])
      expect(await leaseDue(store)).toEqual([])
    })

    it('leases at most the requested number of lanes, and reports whether there are more', async ({ store }) => {
      const { account, key } = await addSubscriber(store)
      await addSubscription(store, key)
      for (const lanes of [0, 1, 2]) {
        await publish(store, draft(account))
        const step = await sequenceAndLease(store, { lanes })
        expect(step.sequenced).toBe(1)
        expect(step.lanes.length).toBeLessThanOrEqual(lanes)
        expect(step.rest || step.lanes.length === 2).toBe(true)
        const leased = [...step.lanes, ...(await leaseDue(store))]
        expect(new Set(leased.map(({ lease }) => lease.id)).size).toBe(2)
        await store.deliveries.settle(
          leased.map((lane) => settlementOf(lane)),
          FAILING_RULE,
        )
      }
    })

    it('leases no lane that is slow or already leased, or whose account or host the request leaves out', async ({
      store,
    }) => {
      const { account, subscription } = await addSubscriber(store)
      await publish(store, draft(account))
      expect((await sequenceAndLease(store, { leaveOut: [account.id] })).lanes).toEqual([])
      await leaseAndSettle(store)
      await publish(store, draft(account))
      const { host } = new URL(subscription.targetUrl)
      expect((await sequenceAndLease(store, { leaveOutHosts: [host] })).lanes).toEqual([])
      const held = await leaseLane(store)
      await publish(store, draft(account))
      expect((await sequenceAndLease(store)).lanes).toEqual([])
      await settleLane(store, held, { settledThrough: held.settledThrough, slow: true })
      await settleLane(store, await leaseLane(store), { slow: true })
      await publish(store, draft(account))
      expect((await sequenceAndLease(store)).lanes).toEqual([])
      expect(await leaseDue(store)).toHaveLength(1)
    })

    it('returns no event ahead of earlier events of its lane', async ({ store, advance }) => {
      const { account } = await addSubscriber(store)
      const [first, second] = await feed(store, account, 2)
      const lane = await leaseLane(store, { perLane: 1 })
      await settleLane(store, lane, { retries: [retryOf(first!, { delayMs: 1_000 })] })
      const third = draft(account)
      await publish(store, third)
      await advance(1_000)
      const [next] = await sequenceThenLease(store)
      expect(eventIds(next!)).toEqual([first, second, third.id])
    })
  })
}

/**
 * Sequences one event. Returns the lanes that `sequence` leased, followed by the lanes that the next `lease`
 * returns.
 */
async function sequenceThenLease(store: Store<unknown>): Promise<LeasedLane[]> {
  const { lanes, sequenced } = await sequenceAndLease(store)
  expect(sequenced).toBe(1)
  return [...lanes, ...(await leaseDue(store))]
}
