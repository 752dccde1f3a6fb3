import { describe, expect } from 'vitest'
import { addSubscriber, feed, publish } from '../arranging/arrange.ts'
import { draft } from '../arranging/inputs.ts'
import { LEASE_MS, leaseAndSettle, leaseLane, retryOf, settleLane } from '../arranging/lanes.ts'
import type { StoreIt } from '../arranging/store-it.ts'

export function describeAwaitingWork(it: StoreIt): void {
  describe('the time until the next work', () => {
    it('is undefined when no lane has work', async ({ store }) => {
      const { account } = await addSubscriber(store)
      expect((await store.deliveries.backlog()).nextInMs).toBeUndefined()
      await feed(store, account, 1)
      await leaseAndSettle(store)
      expect((await store.deliveries.backlog()).nextInMs).toBeUndefined()
    })

    it('is 0 when an event is not sequenced yet, and when a lane is due', async ({ store }) => {
      const { account } = await addSubscriber(store)
      await publish(store, draft(account))
      expect((await store.deliveries.backlog()).nextInMs).toBe(0)
      await store.deliveries.sequence(10)
      expect((await store.deliveries.backlog()).nextInMs).toBe(0)
    })

    it('is the time until a lease ends or another lane becomes due, whichever is earlier', async ({ store }) => {
      const { account } = await addSubscriber(store)
      await feed(store, account, 1)
      const held = await leaseLane(store)
      await expectWorkWithin(store, LEASE_MS)
      const retrying = await addSubscriber(store)
      const [id] = await feed(store, retrying.account, 1)
      await leaseAndSettle(store, { retries: [retryOf(id!, { delayMs: LEASE_MS / 2 })] })
      await expectWorkWithin(store, LEASE_MS / 2)
      await settleLane(store, held)
      await expectWorkWithin(store, LEASE_MS / 2)
    })

    it('is the time until a retry, a probe of a paused lane, or the end of a lease, and 0 from then on', async ({
      store,
      advance,
    }) => {
      const { account } = await addSubscriber(store)
      const [id] = await feed(store, account, 1)
      const retry = retryOf(id!, { delayMs: 10_000 })
      await leaseAndSettle(store, { retries: [retry] })
      await expectWorkWithin(store, 10_000)
      await advance(10_000)
      expect((await store.deliveries.backlog()).nextInMs).toBe(0)
      await leaseAndSettle(store, { retries: [retry], breakerFailures: 5, pauseMs: 20_000 })
      await expectWorkWithin(store, 20_000)
      await advance(20_000)
      expect((await store.deliveries.backlog()).nextInMs).toBe(0)
      await leaseLane(store)
      await advance(LEASE_MS)
      expect((await store.deliveries.backlog()).nextInMs).toBe(0)
    })
  })
}

/** Expects the next work within this time, but not in less than half of it. */
async function expectWorkWithin(store: Parameters<typeof leaseLane>[0], ms: number): Promise<void> {
  const until = (await store.deliveries.backlog()).nextInMs
  expect(until).toBeLessThanOrEqual(ms)
  expect(until).toBeGreaterThan(ms / 2)
}
