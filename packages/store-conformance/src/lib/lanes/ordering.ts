import type { Account, SubscriptionRecord } from '@callboard/core'
import type { LaneSettlement, Store } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addSubscriber, feedDrafts } from '../arranging/arrange.ts'
import { draft, ENTRY } from '../arranging/inputs.ts'
import { attemptOf, eventIds, LEASE_MS, leaseDue, leaseLane, retryOf, settleLane } from '../arranging/lanes.ts'
import { horizons, retainAll } from '../arranging/retention-passes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import { disable, enable, remove, setOrdering, skipToNow } from '../arranging/subscription-acts.ts'
import { listed, statesOf } from '../reading/listing.ts'

const RETRY_MS = 60_000

/** Adds a subscription that orders by subject. */
async function addOrdered(store: Store<unknown>): Promise<{ account: Account; subscription: SubscriptionRecord }> {
  const { account, subscription } = await addSubscriber(store)
  expect(await setOrdering(store, subscription, 'subject')).toBe('changed')
  return { account, subscription }
}

/** Publishes one event for each given subject, in this order, and sequences the events. Returns their ids. */
async function feedOf(store: Store<unknown>, account: Account, ...subjects: readonly string[]): Promise<string[]> {
  const drafts = subjects.map((id) => draft(account, { subject: { type: 'order', id } }))
  return feedDrafts(store, ...drafts)
}

/**
 * Serves a lane once, as a worker does: sends the deliveries that are not waiting, and settles the waiting ones so that
 * they keep waiting. Returns the ids of the events that were sent.
 */
async function visit(
  store: Store<unknown>,
  {
    failing = [],
    lane: given,
    ...overrides
  }: Partial<LaneSettlement> & {
    readonly failing?: readonly (string | undefined)[]
    readonly lane?: Awaited<ReturnType<typeof leaseLane>>
  } = {},
): Promise<string[]> {
  const lane = given ?? (await leaseLane(store))
  const sent = lane.deliveries.filter(({ waiting }) => !waiting)
  const fails = ({ eventId }: { eventId: string }): boolean => failing.includes(eventId)
  await settleLane(store, lane, {
    attempts: sent.map((each) =>
      attemptOf(each.eventId, { number: each.attempts + 1, outcome: fails(each) ? 'failed' : 'delivered' }),
    ),
    retries: [
      ...sent
        .filter(fails)
        .map(({ eventId, attempts }) => retryOf(eventId, { attempts: attempts + 1, delayMs: RETRY_MS })),
      ...lane.deliveries
        .filter(({ waiting }) => waiting)
        .map(({ eventId }) => retryOf(eventId, { attempts: 0, delayMs: undefined })),
    ],
    ended: sent.filter((each) => !fails(each)).map(({ eventId }) => eventId),
    ...overrides,
  })
  return sent.map(({ eventId }) => eventId)
}

export function describeOrdering(it: StoreIt): void {
  describe('ordering by subject', () => {
    it('makes an event wait while an earlier one of its subject is retrying, but delivers other subjects’ events', async ({
      store,
      advance,
    }) => {
      const { account, subscription } = await addOrdered(store)
      const [a1] = await feedOf(store, account, 'a')
      expect(await visit(store, { failing: [a1] })).toEqual([a1])
      const [a2, b1, a3] = await feedOf(store, account, 'a', 'b', 'a')
      expect(await visit(store)).toEqual([b1])
      expect(await statesOf(store, subscription, [a1!, a2!, b1!, a3!])).toEqual([
        'retrying',
        'pending',
        'delivered',
        'pending',
      ])
      expect((await listed(store, subscription)).find(({ eventId }) => eventId === a2)).toMatchObject({
        attempts: 0,
        nextAttemptAt: undefined,
      })
      expect(await leaseDue(store)).toEqual([])
      expect(await store.deliveries.sweep()).toBe(0)
      await advance(RETRY_MS)
      for (const next of [a1, a2, a3]) expect(await visit(store)).toEqual([next])
      expect(await leaseDue(store)).toEqual([])
    })

    it('sends one event of a subject at a time, even if several events are leased together', async ({ store }) => {
      const { account } = await addOrdered(store)
      const [a1, a2, b1, a3] = await feedOf(store, account, 'a', 'a', 'b', 'a')
      const lane = await leaseLane(store)
      expect(lane.deliveries.filter(({ waiting }) => waiting).map(({ eventId }) => eventId)).toEqual([a2, a3])
      expect(await visit(store, { lane })).toEqual([a1, b1])
      for (const next of [a2, a3]) expect(await visit(store)).toEqual([next])
      expect(await leaseDue(store)).toEqual([])
    })

    it.for(['exhausted', 'expired'] as const)(
      'sends the next event of a subject when the delivery before it ends as %s',
      async (outcome, { store }) => {
        const { account, subscription } = await addOrdered(store)
        const [a1, a2] = await feedOf(store, account, 'a', 'a')
        await visit(store, { attempts: [attemptOf(a1!, { outcome, number: 10 })], ended: [a1!] })
        expect(await visit(store)).toEqual([a2])
        expect(await statesOf(store, subscription, [a1!, a2!])).toEqual([outcome, 'delivered'])
      },
    )

    it('keeps the order when a worker loses its lease', async ({ store, advance }) => {
      const { account } = await addOrdered(store)
      const [a1, a2, a3] = await feedOf(store, account, 'a', 'a', 'a')
      const lost = await leaseLane(store)
      await advance(LEASE_MS)
      const lane = await leaseLane(store)
      await visit(store, { lane: lost })
      expect(await visit(store, { lane })).toEqual([a1])
      expect(eventIds(await leaseLane(store))).toEqual([a2])
      await advance(LEASE_MS)
      for (const next of [a2, a3]) expect(await visit(store)).toEqual([next])
    })

    it('resends an ended delivery at once, without waiting for or blocking other deliveries of its subject', async ({
      store,
    }) => {
      const { account, subscription } = await addOrdered(store)
      const [a1] = await feedOf(store, account, 'a')
      await visit(store)
      expect(await store.deliveryLog.resend(subscription, a1!, ENTRY)).toBe('scheduled')
      expect(await visit(store, { failing: [a1] })).toEqual([a1])
      const [a2, a3] = await feedOf(store, account, 'a', 'a')
      expect(await visit(store, { failing: [a2] })).toEqual([a2])
      expect(await store.deliveryLog.resend(subscription, a3!, ENTRY)).toBe('pending')
      expect(await leaseDue(store)).toEqual([])
      expect(await store.deliveryLog.resend(subscription, a1!, ENTRY)).toBe('hastened')
      expect(await visit(store)).toEqual([a1])
      expect(await leaseDue(store)).toEqual([])
      expect(await store.deliveryLog.resend(subscription, a2!, ENTRY)).toBe('hastened')
      for (const next of [a2, a3]) expect(await visit(store)).toEqual([next])
    })

    it('sends all waiting deliveries once ordering is turned off, including those leased at that moment', async ({
      store,
    }) => {
      const { account, subscription } = await addOrdered(store)
      const [a1, a2, a3] = await feedOf(store, account, 'a', 'a', 'a')
      await visit(store, { failing: [a1] })
      expect(await store.subscriptions.find(subscription)).toMatchObject({ ordering: 'subject' })
      expect(await setOrdering(store, subscription, 'none')).toBe('changed')
      expect(await store.subscriptions.find(subscription)).toMatchObject({ ordering: 'none' })
      expect((await visit(store)).sort()).toEqual([a2, a3].sort())

      await setOrdering(store, subscription, 'subject')
      const [a4, a5] = await feedOf(store, account, 'a', 'a')
      const lane = await leaseLane(store)
      await setOrdering(store, subscription, 'none')
      expect(await visit(store, { lane })).toEqual([])
      expect((await visit(store)).sort()).toEqual([a4, a5].sort())
      expect(await leaseDue(store)).toEqual([])
    })

    it('makes new events wait for retries of their subject that began before ordering was turned on', async ({
      store,
      advance,
    }) => {
      const { account, subscription } = await addSubscriber(store)
      const [a1, a2] = await feedOf(store, account, 'a', 'a')
      await visit(store, { failing: [a1, a2] })
      await setOrdering(store, subscription, 'subject')
      const [a3] = await feedOf(store, account, 'a')
      expect(await visit(store)).toEqual([])
      await advance(RETRY_MS)
      expect((await visit(store, { failing: [a2] })).sort()).toEqual([a1, a2].sort())
      expect(await leaseDue(store)).toEqual([])
      await advance(RETRY_MS)
      for (const next of [a2, a3]) expect(await visit(store)).toEqual([next])
    })

    it('ends waiting deliveries when pending deliveries are skipped or the subscription is disabled', async ({
      store,
      advance,
    }) => {
      const { account, subscription } = await addOrdered(store)
      const [a1, a2] = await feedOf(store, account, 'a', 'a')
      await visit(store, { failing: [a1] })
      await skipToNow(store, subscription)
      expect(await statesOf(store, subscription, [a1!, a2!])).toEqual(['skipped', 'skipped'])
      const [a3, a4] = await feedOf(store, account, 'a', 'a')
      expect(await visit(store, { failing: [a3] })).toEqual([a3])
      await disable(store, subscription)
      expect(await statesOf(store, subscription, [a3!, a4!])).toEqual(['disabled', 'disabled'])
      await advance(RETRY_MS)
      expect(await leaseDue(store)).toEqual([])
      await enable(store, subscription)
      const [a5] = await feedOf(store, account, 'a')
      expect(await visit(store)).toEqual([a5])
      expect(await statesOf(store, subscription, [a3!, a4!])).toEqual(['disabled', 'disabled'])
      await remove(store, subscription)
      expect(await setOrdering(store, subscription, 'none')).toBe('unknown')
    })

    it('does not stall when retention has removed the events of a subject', async ({ store, advance }) => {
      const { account } = await addOrdered(store)
      const [a1, a2] = await feedOf(store, account, 'a', 'a')
      await visit(store, { failing: [a1] })
      await advance(RETRY_MS)
      await retainAll(store, horizons({ eventsMs: 1 }))
      for (const id of [a1!, a2!]) {
        const lane = await leaseLane(store)
        expect(lane.deliveries).toMatchObject([{ eventId: id, waiting: false, event: undefined }])
        await visit(store, { lane, attempts: [attemptOf(id, { outcome: 'expired' })] })
      }
      expect(await leaseDue(store)).toEqual([])
    })

    it('never uses a waiting delivery as the probe of an open breaker, or as the suspect after crashes', async ({
      store,
      advance,
    }) => {
      const { account } = await addOrdered(store)
      const [a1] = await feedOf(store, account, 'a')
      const failing = { succeeded: false, breakerFailures: 5, failedAttempts: 1 }
      await visit(store, { ...failing, pauseMs: 1000, failing: [a1] })
      const [, b1] = await feedOf(store, account, 'a', 'b')
      await advance(1000)
      expect(await visit(store, { ...failing, failedAttempts: 0 })).toEqual([])
      expect(await visit(store)).toEqual([b1])

      const [, , b2] = await feedOf(store, account, 'a', 'a', 'b')
      for (let crashes = 0; crashes < 2; crashes++) {
        await leaseLane(store, { leaseMs: 1000 })
        await advance(1000)
      }
      for (let waiting = 0; waiting < 2; waiting++) expect(await visit(store)).toEqual([])
      expect((await leaseLane(store)).deliveries).toMatchObject([{ eventId: b2, suspect: true, waiting: false }])
    })

    it('makes a waiting delivery due in a sweep if no earlier delivery of its subject is left', async ({ store }) => {
      const { account } = await addOrdered(store)
      const [, a2] = await feedOf(store, account, 'a', 'a')
      await visit(store, { subjects: [] })
      expect(await leaseDue(store)).toEqual([])
      expect(await store.deliveries.sweep()).toBe(1)
      expect(await visit(store)).toEqual([a2])
      expect(await store.deliveries.sweep()).toBe(0)
    })
  })
}
