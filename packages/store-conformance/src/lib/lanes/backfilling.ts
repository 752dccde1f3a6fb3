import type { Account, DeliveryState, SubscriptionRecord } from '@callboard/core'
import { CAPS, type LaneSettlement, type LeasedLane, type NewSubscription, type Store } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addAccount, addKey, addSubscription, feed, feedDrafts, type HeldKey, publish } from '../arranging/arrange.ts'
import { draft, draftsOfOneSubject } from '../arranging/inputs.ts'
import { attemptOf, eventIds, leaseDue, leaseLane, retryOf, settleLane, settlementOf } from '../arranging/lanes.ts'
import { HOUR_MS, horizons, retainAll } from '../arranging/retention-passes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import {
  cancelBackfill,
  disable,
  enable,
  remove,
  revise,
  setOrdering,
  skipToNow,
  startBackfill,
} from '../arranging/subscription-acts.ts'
import { listed } from '../reading/listing.ts'
import { partsOf } from '../reading/listing-by-state.ts'

/** The beginning of time: before every event. */
const EVER = new Date(0)

async function addHolder(store: Store<unknown>): Promise<{ account: Account; key: HeldKey }> {
  const account = await addAccount(store)
  return { account, key: await addKey(store, account) }
}

/** Settles a lease all of whose deliveries came to the same. */
async function settleAll(
  store: Store<unknown>,
  lane: LeasedLane,
  outcome: 'delivered' | 'failed' = 'delivered',
  overrides: Partial<LaneSettlement> = {},
): Promise<void> {
  const attempts = lane.deliveries.map(({ eventId, attempts }) => attemptOf(eventId, { outcome, number: attempts + 1 }))
  const isFailed = outcome === 'failed'
  const { fenced } = await settleLane(store, lane, {
    attempts,
    ended: isFailed ? [] : eventIds(lane),
    retries: isFailed
      ? lane.deliveries.map(({ eventId, backfilled }) => retryOf(eventId, { backfilled, delayMs: 0 }))
      : [],
    succeeded: !isFailed,
    backfill: lane.backfill,
    ...overrides,
  })
  expect(fenced).toEqual([])
}

/** Leases and delivers until nothing is due. Returns the events of each lease. */
async function deliverAll(store: Store<unknown>, perLane = 10): Promise<string[][]> {
  const sent: string[][] = []
  for (let leases = 0; leases < 20; leases++) {
    const [lane] = await leaseDue(store, { lanes: 1, perLane })
    if (lane === undefined) return sent
    await settleAll(store, lane)
    if (lane.deliveries.length > 0) sent.push(eventIds(lane))
  }
  throw new Error('the lane stays due')
}

async function stateOf(store: Store<unknown>, ref: SubscriptionRecord): Promise<string | undefined> {
  return (await store.subscriptions.findBackfill(ref))?.state
}

/** The events whose deliveries are in this state, newest first. */
async function eventsIn(store: Store<unknown>, ref: SubscriptionRecord, state: DeliveryState): Promise<string[]> {
  return (await listed(store, ref, { state })).map(({ eventId }) => eventId)
}

/** Events, and a subscription that starts after them. */
async function arrange(
  store: Store<unknown>,
  { earlier = 3, ...subscription }: Partial<NewSubscription> & { readonly earlier?: number } = {},
): Promise<{ account: Account; key: HeldKey; subscription: SubscriptionRecord; earlier: string[] }> {
  const { account, key } = await addHolder(store)
  const ids = await feed(store, account, earlier)
  return { account, key, subscription: await addSubscription(store, key, subscription), earlier: ids }
}

export function describeBackfilling(it: StoreIt): void {
  describe('a backfill', () => {
    it('sends the events of its types from before the subscription, oldest first', async ({ store, advance }) => {
      const { account, key } = await addHolder(store)
      await feed(store, account, 1)
      await advance(HOUR_MS)
      const since = (await store.deliveries.attend({ id: 'w', name: 'w', details: undefined })).clock
      const [first] = await feed(store, account, 1)
      await feedDrafts(store, draft(account, { type: 'order.refunded' }), draft(account, { mode: 'test' }))
      const rest = await feed(store, account, 2)
      await advance(1000)
      const subscription = await addSubscription(store, key)
      expect(await store.subscriptions.findBackfill(subscription)).toBeUndefined()
      expect(await listed(store, subscription)).toEqual([])

      expect(await startBackfill(store, subscription, since)).toBe('changed')
      expect(await store.subscriptions.findBackfill(subscription)).toEqual({
        state: 'running',
        since,
        startedAt: expect.any(Date),
        reachedAt: undefined,
      })
      expect(await eventsIn(store, subscription, 'pending')).toEqual([first!, ...rest].reverse())
      const lane = await leaseLane(store, { perLane: 2 })
      expect(eventIds(lane)).toEqual([first, rest[0]])
      expect(lane.deliveries[0]).toMatchObject({ position: undefined, backfilled: true, attempts: 0, waiting: false })
      await settleAll(store, lane)
      expect((await store.subscriptions.findBackfill(subscription))?.reachedAt?.getTime()).toBeGreaterThanOrEqual(
        since.getTime(),
      )
      expect(await eventsIn(store, subscription, 'pending')).toEqual([rest[1]])
      expect(await eventsIn(store, subscription, 'delivered')).toEqual([rest[0], first])

      expect(await deliverAll(store)).toEqual([[rest[1]]])
      expect(await stateOf(store, subscription)).toBe('done')
      expect(await eventsIn(store, subscription, 'delivered')).toEqual([first!, ...rest].reverse())
      expect(await store.deliveries.sweep()).toBe(0)
    })

    it('sends events that were committed before the subscription and sequenced after it', async ({ store }) => {
      const { account, key } = await addHolder(store)
      const [sequenced, waiting] = draftsOfOneSubject(account, 2)
      await publish(store, sequenced!)
      const one = await addSubscription(store, key)
      await store.deliveries.sequence(10)
      await publish(store, waiting!)
      const other = await addSubscription(store, key)
      await startBackfill(store, one, EVER)
      await startBackfill(store, other, EVER)
      const [live] = await feed(store, account, 1)
      const sent = new Map<string, string[]>()
      for (let round = 0; round < 3; round++)
        for (const lane of await leaseDue(store)) {
          sent.set(lane.lease.id, [...(sent.get(lane.lease.id) ?? []), ...eventIds(lane)])
          await settleAll(store, lane)
        }
      expect(sent.get(one.id)?.toSorted()).toEqual([sequenced!.id, waiting!.id, live!].toSorted())
      expect(sent.get(other.id)?.toSorted()).toEqual([sequenced!.id, waiting!.id, live!].toSorted())
      for (const subscription of [one, other]) expect(await eventsIn(store, subscription, 'delivered')).toHaveLength(3)
    })

    it('sends what an extension adds during a lease that began at the same place', async ({ store, advance }) => {
      const { account, key } = await addHolder(store)
      const [oldest] = await feed(store, account, 1)
      await advance(1000)
      const since = (await store.deliveries.attend({ id: 'w', name: 'w', details: undefined })).clock
      const [newer] = await feed(store, account, 1)
      const subscription = await addSubscription(store, key)
      await startBackfill(store, subscription, since)
      const lane = await leaseLane(store)
      expect(eventIds(lane)).toEqual([newer])
      expect(await startBackfill(store, subscription, EVER)).toBe('changed')
      await settleAll(store, lane)
      expect(await deliverAll(store)).toEqual([[oldest]])
      expect(await stateOf(store, subscription)).toBe('done')
    })

    it('leaves the room of a lease to new events, except one place', async ({ store }) => {
      const { account, subscription, earlier } = await arrange(store)
      await startBackfill(store, subscription, EVER)
      const live = await feed(store, account, 5)
      expect(await deliverAll(store, 3)).toEqual([
        [...live.slice(0, 2), earlier[0]],
        [...live.slice(2, 4), earlier[1]],
        [live[4], earlier[2]],
      ])
    })

    it('sends nothing that was delivered or is retrying, and is extended by an earlier start', async ({
      store,
      advance,
    }) => {
      const { account, key } = await addHolder(store)
      const old = await feed(store, account, 2)
      await advance(2 * HOUR_MS)
      const since = (await store.deliveries.attend({ id: 'w', name: 'w', details: undefined })).clock
      const later = await feed(store, account, 2)
      const subscription = await addSubscription(store, key)
      await startBackfill(store, subscription, since)
      const first = await leaseLane(store, { perLane: 1 })
      expect(eventIds(first)).toEqual([later[0]])
      await settleAll(store, first)
      const inFlight = await leaseLane(store, { perLane: 1 })
      expect(eventIds(inFlight)).toEqual([later[1]])

      expect(await startBackfill(store, subscription, new Date(since.getTime() + 1))).toBe('unchanged')
      expect(await startBackfill(store, subscription, EVER)).toBe('changed')
      // The lease in flight does not move the place past what was added.
      await settleAll(store, inFlight, 'failed')
      expect(await stateOf(store, subscription)).toBe('running')
      const [retried, ...others] = await deliverAll(store)
      expect([...retried!, ...others.flat()]).toEqual([later[1], ...old])
      expect(await stateOf(store, subscription)).toBe('done')
      expect(await startBackfill(store, subscription, EVER)).toBe('unchanged')
    })

    it('keeps its place until the lease is settled, also if only a part of the lease was', async ({ store }) => {
      const { subscription, earlier } = await arrange(store)
      await startBackfill(store, subscription, EVER)
      const lane = await leaseLane(store)
      expect(eventIds(lane)).toEqual(earlier)
      const part = {
        attempts: [attemptOf(earlier[0]!, { outcome: 'delivered' })],
        ended: [earlier[0]!],
        settledThrough: lane.settledThrough,
        keep: true,
      }
      await settleLane(store, lane, part)
      await store.deliveries.releaseLeases({ of: 'all' })
      expect(await deliverAll(store)).toEqual([earlier.slice(1)])
      expect(await stateOf(store, subscription)).toBe('done')
    })

    it('makes no event of a subject wait, even while its own delivery is retried', async ({ store }) => {
      const { account, subscription } = await arrange(store, { earlier: 0 })
      const subject = { type: 'order', id: 'one' }
      const [before] = await feedDrafts(store, draft(account, { subject }))
      await disable(store, subscription)
      await enable(store, subscription)
      await setOrdering(store, subscription, 'subject')
      await startBackfill(store, subscription, EVER)
      const lane = await leaseLane(store)
      expect(eventIds(lane)).toEqual([before])
      await settleAll(store, lane, 'failed', {
        retries: [retryOf(before!, { backfilled: true, delayMs: HOUR_MS })],
      })
      const [live] = await feedDrafts(store, draft(account, { subject }))
      const next = await leaseLane(store)
      expect(next.deliveries).toMatchObject([{ eventId: live, waiting: false }])
      expect(await eventsIn(store, subscription, 'retrying')).toEqual([before])
      expect(await eventsIn(store, subscription, 'pending')).toEqual([live])
    })

    it('ends when it is cancelled, and what is in flight still counts', async ({ store }) => {
      const { subscription, earlier } = await arrange(store)
      expect(await cancelBackfill(store, subscription)).toBe('unchanged')
      await startBackfill(store, subscription, EVER)
      const lane = await leaseLane(store, { perLane: 2 })
      expect(await cancelBackfill(store, subscription)).toBe('changed')
      expect(await cancelBackfill(store, subscription)).toBe('unchanged')
      await settleAll(store, lane)
      expect(await deliverAll(store)).toEqual([])
      expect(await stateOf(store, subscription)).toBe('cancelled')
      expect((await listed(store, subscription)).map(({ eventId }) => eventId)).toEqual(earlier.slice(0, 2).reverse())

      await startBackfill(store, subscription, EVER)
      expect(await deliverAll(store)).toEqual([[earlier[2]]])
    })

    it('is cancelled when the subscription is disabled or skips to now, and can then start again', async ({
      store,
    }) => {
      const { account, subscription, earlier } = await arrange(store)
      await startBackfill(store, subscription, EVER)
      await skipToNow(store, subscription)
      expect(await stateOf(store, subscription)).toBe('cancelled')
      expect(await listed(store, subscription)).toEqual([])
      await startBackfill(store, subscription, EVER)
      await disable(store, subscription)
      expect(await stateOf(store, subscription)).toBe('cancelled')
      expect(await startBackfill(store, subscription, EVER)).toBe('refused')
      const missed = await feed(store, account, 2)
      await enable(store, subscription)
      expect(await eventsIn(store, subscription, 'disabled')).toEqual(missed.toReversed())
      expect(await deliverAll(store)).toEqual([])

      await startBackfill(store, subscription, EVER)
      expect((await partsOf(store, subscription)).get('pending')).toEqual([...earlier, ...missed].reverse())
      expect(await deliverAll(store)).toEqual([[...earlier, ...missed]])
      await remove(store, subscription)
      expect(await store.subscriptions.findBackfill(subscription)).toBeUndefined()
    })

    it('sends what a re-enabled subscription missed after a finished backfill', async ({ store }) => {
      const { account, subscription, earlier } = await arrange(store)
      await startBackfill(store, subscription, EVER)
      const live = await feed(store, account, 1)
      expect((await deliverAll(store)).flat()).toEqual([...live, ...earlier])
      await disable(store, subscription)
      const missed = await feed(store, account, 2)
      await enable(store, subscription)
      expect(await startBackfill(store, subscription, EVER)).toBe('changed')
      expect(await deliverAll(store)).toEqual([missed])
    })

    it('follows the event types and the target that the subscription has at the time', async ({ store }) => {
      const { account, subscription, earlier } = await arrange(store, { earlier: 1 })
      const [refund] = await feedDrafts(store, draft(account, { type: 'order.refunded' }))
      await skipToNow(store, subscription)
      await startBackfill(store, subscription, EVER)
      await revise(store, subscription, { eventTypes: ['order.refunded'], targetUrl: 'https://hooks.example.com/2' })
      const lane = await leaseLane(store)
      expect([lane.targetUrl, eventIds(lane)]).toEqual(['https://hooks.example.com/2', [refund]])
      await settleAll(store, lane)
      expect(await eventsIn(store, subscription, 'delivered')).toEqual([refund])
      await revise(store, subscription, { eventTypes: ['order.paid'] })
      expect(await eventsIn(store, subscription, 'delivered')).toEqual([refund])
      expect(earlier).toHaveLength(1)
    })

    it('goes on after events that retention removed', async ({ store, advance }) => {
      const { account, key } = await addHolder(store)
      await feed(store, account, 2)
      await advance(2 * HOUR_MS)
      const [kept] = await feed(store, account, 1)
      const subscription = await addSubscription(store, key)
      await startBackfill(store, subscription, EVER)
      await retainAll(store, horizons({ eventsMs: HOUR_MS }))
      expect(await deliverAll(store)).toEqual([[kept]])
      expect(await stateOf(store, subscription)).toBe('done')
      expect((await listed(store, subscription)).map(({ state }) => state)).toEqual(['delivered'])
    })

    it('examines a limited number of events in each lease', async ({ store, advance }) => {
      const { account, key } = await addHolder(store)
      await feed(store, account, CAPS.backfill)
      await advance(1000)
      const since = (await store.deliveries.attend({ id: 'w', name: 'w', details: undefined })).clock
      const [wanted] = await feed(store, account, 1)
      const subscription = await addSubscription(store, key)
      await startBackfill(store, subscription, since)
      const first = await leaseLane(store)
      expect(eventIds(first)).toEqual([])
      await settleAll(store, first)
      expect(await stateOf(store, subscription)).toBe('running')
      expect(await deliverAll(store)).toEqual([[wanted]])
    })

    it('waits behind a breaker and after a postponement like other events, and is probed alone', async ({
      store,
      advance,
    }) => {
      const { subscription, earlier } = await arrange(store)
      await startBackfill(store, subscription, EVER)
      const lane = await leaseLane(store)
      await store.deliveries.settle([settlementOf(lane, { succeeded: false, breakerFailures: 5, pauseMs: HOUR_MS })], {
        attempts: 1000,
        durationMs: 1e9,
        report: { attempts: 1000, afterMs: 1e9 },
      })
      expect(await leaseDue(store)).toEqual([])
      await advance(HOUR_MS)
      const probe = await leaseLane(store)
      expect(eventIds(probe)).toEqual([earlier[0]])
      await settleAll(store, probe)
      await settleLane(store, await leaseLane(store), { postponeMs: HOUR_MS })
      expect(await leaseDue(store)).toEqual([])
      await advance(HOUR_MS)
      expect(await deliverAll(store)).toEqual([earlier.slice(1)])
    })
  })
}
