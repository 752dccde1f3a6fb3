import {
  type Account,
  COUNTED_RETRIES,
  type OverviewRequest,
  type Store,
  type SubscriptionRef,
  type SubscriptionWithHealth,
} from '@callboard/core'
import { describe, expect } from 'vitest'
import { addAccount, addKey, addSubscriber, addSubscription, feed, publish } from './arrange.ts'
import { draft } from './inputs.ts'
import { attemptOf, LEASE_MS, leaseLane, leaseLanes, retryOf, settleLane } from './lanes.ts'
import type { StoreIt } from './store-it.ts'

const HOUR_MS = 3_600_000

function overview(store: Store<unknown>, { id }: Account, overrides: Partial<OverviewRequest> = {}) {
  const request = {
    accountId: id,
    mode: 'live',
    state: undefined,
    search: undefined,
    before: undefined,
    limit: 10,
  } as const
  return store.health.overview({ ...request, ...overrides })
}

async function ids(
  store: Store<unknown>,
  account: Account,
  overrides: Partial<OverviewRequest> = {},
): Promise<string[]> {
  const found: string[] = []
  for (let pages = 0, before: string | undefined; pages < 20; pages++) {
    const page = await overview(store, account, { before, ...overrides })
    found.push(...page.subscriptions.map(({ id }) => id))
    if (page.next === undefined) return found
    before = page.next
  }
  throw new Error('the list has no end')
}

/** Their ids; those that are made within a millisecond need not rise. */
function newestFirst(...refs: readonly SubscriptionRef[]): string[] {
  return refs
    .map(({ id }) => id)
    .sort()
    .reverse()
}

async function healthOf(store: Store<unknown>, ref: SubscriptionRef): Promise<SubscriptionWithHealth['health']> {
  const found = await store.health.find(ref)
  if (found === undefined) throw new Error('there is no such subscription')
  return found.health
}

/** One visit in which one event failed. */
async function fail(store: Store<unknown>, eventId: string, pauseMs = 0): Promise<void> {
  const lane = await leaseLane(store)
  const failed = { succeeded: false, failedTries: 1, failures: 1, pauseMs }
  await settleLane(store, lane, { ...failed, attempts: [attemptOf(eventId)], retries: [retryOf(eventId)] })
}

export function describeOverview(it: StoreIt): void {
  describe('the overview of subscriptions', () => {
    it('goes page by page, newest first, of what is not removed in this account and mode', async ({ store }) => {
      const { account, key, subscription } = await addSubscriber(store)
      const others = [await addSubscription(store, key), await addSubscription(store, key)]
      const removed = await addSubscription(store, key)
      await store.subscriptions.remove(removed, 'api')
      await addSubscription(store, await addKey(store, account, { mode: 'test' }))
      await addSubscriber(store)
      await store.subscriptions.disable(others[0]!, 'manual')
      const present = newestFirst(subscription, ...others)
      for (const limit of [1, 2, 3, 4]) expect(await ids(store, account, { limit })).toEqual(present)
      expect((await overview(store, account, { limit: 3 })).next).toBeUndefined()
      const { subscriptions } = await overview(store, account)
      for (const { health: _health, ...record } of subscriptions)
        expect(record).toEqual(await store.subscriptions.find(record))
      expect(await ids(store, await addAccount(store))).toEqual([])
    })

    it('is of one state when it is named, and counts those of each whatever is named', async ({ store }) => {
      const { account, key, subscription: healthy } = await addSubscriber(store)
      const [event] = await feed(store, account, 1)
      await settleLane(store, await leaseLane(store), { attempts: [attemptOf(event!, { outcome: 'delivered' })] })
      const disabled = await addSubscription(store, key, { eventTypes: ['order.refunded'] })
      await store.subscriptions.disable(disabled, 'manual')
      const failing = await addSubscription(store, key, { eventTypes: ['order.refunded'] })
      const refund = draft(account, { type: 'order.refunded' })
      await publish(store, refund)
      await store.deliveries.sequence(10)
      await fail(store, refund.id)
      const counts = { all: 3, failing: 1, disabled: 1 }
      expect(await overview(store, account)).toMatchObject({ counts })
      expect(await overview(store, account, { state: 'active' })).toMatchObject({ counts, next: undefined })
      expect(await ids(store, account, { state: 'active', limit: 1 })).toEqual(newestFirst(failing, healthy))
      expect(await ids(store, account, { state: 'failing' })).toEqual([failing.id])
      expect(await ids(store, account, { state: 'disabled' })).toEqual([disabled.id])
      await store.subscriptions.disable(failing, 'failing')
      expect(await overview(store, account, { state: 'failing' })).toMatchObject({
        subscriptions: [],
        next: undefined,
        counts: { all: 3, failing: 0, disabled: 2 },
      })
      expect(await ids(store, account, { state: 'disabled', limit: 1 })).toEqual(newestFirst(failing, disabled))
      await store.subscriptions.enable(failing)
      expect(await overview(store, account, { state: 'failing' })).toMatchObject({
        counts: { failing: 0, disabled: 1 },
      })
    })

    it('finds a part of target URL, external reference, integration or description, as plain text in either case', async ({
      store,
    }) => {
      const { account, key, subscription } = await addSubscriber(store, {
        subscription: { targetUrl: 'https://Hooks.example.com/a%20b_c', integration: 'make' },
      })
      const named = await addSubscription(store, key, {
        externalRef: 'Zap 100% \\ "ÄRGER"',
        integration: 'n8n',
        description: 'Our CRM',
      })
      const search = (text: string) => ids(store, account, { search: text, limit: 1 })
      expect(await search('hooks.EXAMPLE.com')).toEqual(newestFirst(named, subscription))
      expect(await search('our crm')).toEqual([named.id])
      expect(await search('MAKE')).toEqual([subscription.id])
      expect(await search('a%20B_c')).toEqual([subscription.id])
      expect(await search('zap 100% \\ "ÄR')).toEqual([named.id])
      for (const none of ['a%c', 'a_20', 'hooks.example.com/b']) expect(await search(none)).toEqual([])
      expect(await search('%')).toEqual(newestFirst(named, subscription))
      expect(await ids(store, account, { search: 'n8n', state: 'disabled' })).toEqual([])
      expect(await ids(store, account, { search: 'n8n', state: 'active' })).toEqual([named.id])
    })
  })

  describe('the health of a subscription', () => {
    it('says that nothing was tried of one that is new, and nothing of one that is not there', async ({ store }) => {
      const { subscription } = await addSubscriber(store)
      expect(await healthOf(store, subscription)).toMatchObject({
        failing: undefined,
        pausedUntil: undefined,
        retriesWaiting: 0,
        oldestPendingAt: undefined,
        lastAttempt: undefined,
      })
      expect(await store.health.find({ ...subscription, mode: 'test' })).toBeUndefined()
      expect(await store.health.find({ ...subscription, accountId: (await addAccount(store)).id })).toBeUndefined()
      expect(await store.health.find({ ...subscription, id: 'sub_x' })).toBeUndefined()
      await store.subscriptions.remove(subscription, 'api')
      expect(await store.health.find(subscription)).toBeUndefined()
    })

    it('tells since when and how often it has failed, until it succeeds, and that its breaker is open', async ({
      store,
      advance,
    }) => {
      const { account, subscription } = await addSubscriber(store)
      const [first, second] = await feed(store, account, 2)
      const lane = await leaseLane(store)
      const failing = { succeeded: false, failedTries: 1, failures: 1, keep: true }
      await settleLane(store, lane, { ...failing, attempts: [attemptOf(first!)], retries: [retryOf(first!)] })
      const { failing: once } = await healthOf(store, subscription)
      expect(once).toEqual({ since: expect.any(Date), tries: 1 })
      await advance(LEASE_MS / 2)
      const attempt = attemptOf(second!, { status: undefined, reason: 'timeout', durationMs: 1500 })
      const paused = { ...failing, failedTries: 3, keep: false, pauseMs: 10_000 }
      await settleLane(store, lane, { ...paused, attempts: [attempt], retries: [retryOf(second!)] })
      const twice = await healthOf(store, subscription)
      expect(twice).toMatchObject({
        failing: { since: once?.since, tries: 4 },
        retriesWaiting: 2,
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
        retriesWaiting: 1,
        lastAttempt: { outcome: 'delivered', eventId: first },
      })
    })

    it('keeps what it was of one that is disabled, whose retries have ended', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store)
      const [event, other] = await feed(store, account, 2)
      const lane = await leaseLane(store)
      await store.subscriptions.disable(subscription, 'manual')
      const failed = { succeeded: false, failedTries: 1, failures: 1, pauseMs: 60_000, cursor: lane.cursor }
      await settleLane(store, lane, { ...failed, attempts: [attemptOf(event!)], retries: [retryOf(other!)] })
      expect(await healthOf(store, subscription)).toMatchObject({
        failing: { tries: 1 },
        pausedUntil: undefined,
        retriesWaiting: 0,
        oldestPendingAt: undefined,
        lastAttempt: { eventId: event },
      })
    })

    it('counts retries no further than it says', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store)
      const events = await feed(store, account, COUNTED_RETRIES + 1)
      await settleLane(store, await leaseLane(store), { retries: events.slice(0, -2).map((id) => retryOf(id)) })
      expect((await healthOf(store, subscription)).retriesWaiting).toBe(COUNTED_RETRIES - 1)
      await settleLane(store, await leaseLane(store, { perLane: 200 }), { retries: events.map((id) => retryOf(id)) })
      expect((await healthOf(store, subscription)).retriesWaiting).toBe(COUNTED_RETRIES)
    })

    it('tells when the event that comes next was published: of its types, not older than itself, not tried', async ({
      store,
      advance,
    }) => {
      const { account, key } = await addSubscriber(store)
      await publish(store, draft(account))
      const late = await addSubscription(store, key, { eventTypes: ['order.paid', 'order.refunded'] })
      await store.deliveries.sequence(10)
      expect((await healthOf(store, late)).oldestPendingAt).toBeUndefined()
      await advance(HOUR_MS)
      await publish(store, draft(account, { type: 'order.moved' }), draft(account, { type: 'order.refunded' }))
      await store.deliveries.sequence(10)
      await advance(HOUR_MS)
      const [second] = await feed(store, account, 1)
      const { oldestPendingAt, hours } = await healthOf(store, late)
      const now = hours.at(-1)!.at.getTime()
      expect(now - oldestPendingAt!.getTime()).toBeGreaterThan(-HOUR_MS)
      expect(now - oldestPendingAt!.getTime()).toBeLessThan(2 * HOUR_MS)
      const lane = (await leaseLanes(store)).find(({ lease }) => lease.id === late.id)!
      await settleLane(store, lane, {
        cursor: lane.deliveries.find(({ eventId }) => eventId === second)!.position! - 1,
      })
      const next = (await healthOf(store, late)).oldestPendingAt
      expect(next!.getTime() - oldestPendingAt!.getTime()).toBeGreaterThanOrEqual(HOUR_MS)
      await settleLane(store, (await leaseLanes(store)).find(({ lease }) => lease.id === late.id)!)
      expect((await healthOf(store, late)).oldestPendingAt).toBeUndefined()
    })
  })

  describe('attempts by the hour', () => {
    it('are counted in the hour in which they were written down, for the last 24', async ({ store, advance }) => {
      const { account, subscription } = await addSubscriber(store)
      const attempts = async (...outcomes: Parameters<typeof attemptOf>[1][]) => {
        const events = await feed(store, account, Math.max(1, outcomes.length))
        const made = outcomes.map((each, index) => attemptOf(events[index]!, each))
        await settleLane(store, await leaseLane(store), { attempts: made })
      }
      const DELIVERED = { outcome: 'delivered' } as const
      const FAILED = [{}, { outcome: 'exhausted' }, { outcome: 'gone' }] as const
      await attempts(DELIVERED, DELIVERED, { outcome: 'expired' })
      const { hours } = await healthOf(store, subscription)
      expect(hours).toHaveLength(24)
      const first = hours.at(-1)!
      expect(first).toMatchObject({ delivered: 2, failed: 0 })
      for (const [index, { at }] of hours.entries())
        expect(at.getTime()).toBe(first.at.getTime() - (23 - index) * HOUR_MS)
      expect(first.at.getTime() % HOUR_MS).toBe(0)
      await advance(HOUR_MS)
      await attempts(...FAILED, DELIVERED)
      await attempts(DELIVERED)
      await advance(2 * HOUR_MS)
      await attempts()
      const counts = async () =>
        (await healthOf(store, subscription)).hours.flatMap(({ at, delivered, failed }) =>
          delivered + failed === 0 ? [] : [[(at.getTime() - first.at.getTime()) / HOUR_MS, delivered, failed]],
        )
      expect(await counts()).toEqual([
        [0, 2, 0],
        [1, 2, 3],
      ])
      await attempts({})
      await store.subscriptions.disable(subscription, 'manual')
      await store.subscriptions.enable(subscription)
      await advance(21 * HOUR_MS)
      expect(await counts()).toEqual([
        [1, 2, 3],
        [3, 0, 1],
      ])
      await advance(48 * HOUR_MS)
      expect(await counts()).toEqual([])
    })

    it('are counted for none whose lease was lost', async ({ store, advance }) => {
      const { account, subscription } = await addSubscriber(store)
      const [event] = await feed(store, account, 1)
      const lost = await leaseLane(store)
      await advance(LEASE_MS)
      const lane = await leaseLane(store)
      await settleLane(store, lost, { attempts: [attemptOf(event!)] })
      await settleLane(store, lane, { attempts: [attemptOf(event!, { outcome: 'delivered' })], keep: true })
      await settleLane(store, lane, { attempts: [attemptOf(event!)] })
      const { hours } = await healthOf(store, subscription)
      expect(hours.reduce((sum, { delivered, failed }) => sum + delivered + 100 * failed, 0)).toBe(101)
    })
  })
}
