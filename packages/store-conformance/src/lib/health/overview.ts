import type { Account } from '@callboard/core'
import type { RequestOf, ResultOf, Store, SubscriptionRef } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addAccount, addKey, addSubscriber, addSubscription, feed, feedDrafts, pagesOf } from '../arranging/arrange.ts'
import { draft } from '../arranging/inputs.ts'
import { attemptOf, leaseLane, retryOf, settleLane } from '../arranging/lanes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import { disable, enable, remove } from '../arranging/subscription-acts.ts'

export function overview(
  store: Store<unknown>,
  { id }: Account,
  overrides: Partial<RequestOf<'health', 'overview'>> = {},
): Promise<ResultOf<'health', 'overview'>> {
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
  overrides: Partial<RequestOf<'health', 'overview'>> = {},
): Promise<string[]> {
  const pages = await pagesOf((before?: string) => overview(store, account, { before, ...overrides }))
  return pages.flatMap(({ subscriptions }) => subscriptions.map(({ id }) => id))
}

/**
 * Sorts by id rather than by order of creation, because two ids created within the same millisecond can be in either
 * order.
 */
function newestFirst(...refs: readonly SubscriptionRef[]): string[] {
  return refs
    .map(({ id }) => id)
    .sort()
    .reverse()
}

/** Settles a lane with one failed attempt. */
async function fail(store: Store<unknown>, eventId: string, pauseMs = 0): Promise<void> {
  const lane = await leaseLane(store)
  const failed = { succeeded: false, failedAttempts: 1, breakerFailures: 1, pauseMs }
  await settleLane(store, lane, { ...failed, attempts: [attemptOf(eventId)], retries: [retryOf(eventId)] })
}

export function describeOverview(it: StoreIt): void {
  describe('the overview of subscriptions', () => {
    it('pages through an account’s subscriptions in one mode, newest first, without those that were removed', async ({
      store,
    }) => {
      const { account, key, subscription } = await addSubscriber(store)
      const others = [await addSubscription(store, key), await addSubscription(store, key)]
      const removed = await addSubscription(store, key)
      await remove(store, removed)
      await addSubscription(store, await addKey(store, account, { mode: 'test' }))
      await addSubscriber(store)
      await disable(store, others[0]!)
      const present = newestFirst(subscription, ...others)
      for (const limit of [1, 2, 3, 4]) expect(await ids(store, account, { limit })).toEqual(present)
      expect((await overview(store, account, { limit: 3 })).next).toBeUndefined()
      const { subscriptions } = await overview(store, account)
      for (const { health: _health, ...record } of subscriptions)
        expect(record).toEqual(await store.subscriptions.find(record))
      expect(await ids(store, await addAccount(store))).toEqual([])
    })

    it('can be filtered by state, and always counts the subscriptions in each state', async ({ store }) => {
      const { account, key, subscription: healthy } = await addSubscriber(store)
      const [event] = await feed(store, account, 1)
      await settleLane(store, await leaseLane(store), { attempts: [attemptOf(event!, { outcome: 'delivered' })] })
      const disabled = await addSubscription(store, key, { eventTypes: ['order.refunded'] })
      await disable(store, disabled)
      const failing = await addSubscription(store, key, { eventTypes: ['order.refunded'] })
      const refund = draft(account, { type: 'order.refunded' })
      await feedDrafts(store, refund)
      await fail(store, refund.id)
      const counts = { all: 3, failing: 1, disabled: 1 }
      expect(await overview(store, account)).toMatchObject({ counts })
      expect(await overview(store, account, { state: 'active' })).toMatchObject({ counts, next: undefined })
      expect(await ids(store, account, { state: 'active', limit: 1 })).toEqual(newestFirst(failing, healthy))
      expect(await ids(store, account, { state: 'failing' })).toEqual([failing.id])
      expect(await ids(store, account, { state: 'disabled' })).toEqual([disabled.id])
      await disable(store, failing, 'failing')
      expect(await overview(store, account, { state: 'failing' })).toMatchObject({
        subscriptions: [],
        next: undefined,
        counts: { all: 3, failing: 0, disabled: 2 },
      })
      expect(await ids(store, account, { state: 'disabled', limit: 1 })).toEqual(newestFirst(failing, disabled))
      await enable(store, failing)
      expect(await overview(store, account, { state: 'failing' })).toMatchObject({
        counts: { failing: 0, disabled: 1 },
      })
    })

    it('can be filtered by source, integration, external reference and target URL, each as a whole', async ({
      store,
    }) => {
      const targetUrl = 'https://hooks.example.com/catch?key=A'
      const { account, key, subscription } = await addSubscriber(store, { subscription: { targetUrl } })
      const named = await addSubscription(store, key, { externalRef: 'zap 1', integration: 'n8n' })
      const own = await addSubscription(store, key, { source: 'dashboard', confirmedBy: undefined })
      await disable(store, named)
      const only = (filter: RequestOf<'health', 'overview'>['only'], state?: 'active' | 'disabled') =>
        ids(store, account, { only: filter, state, limit: 1 })
      expect(await only({ targetUrl })).toEqual([subscription.id])
      for (const other of [targetUrl.toLowerCase(), 'https://hooks.example.com/catch', `${targetUrl} `])
        expect(await only({ targetUrl: other })).toEqual([])
      expect(await only({ externalRef: 'zap 1' })).toEqual([named.id])
      expect(await only({ externalRef: 'zap' })).toEqual([])
      expect(await only({ integration: 'n8n', externalRef: 'zap 1' })).toEqual([named.id])
      expect(await only({ integration: 'n8n', targetUrl })).toEqual([])
      expect(await only({ source: 'dashboard' })).toEqual([own.id])
      expect(await only({ source: 'api' })).toEqual(newestFirst(subscription, named))
      expect(await only({ source: 'api' }, 'disabled')).toEqual([named.id])
      expect(await only({})).toEqual(newestFirst(subscription, named, own))
    })

    it('searches the target URL, external reference, integration and description, ignoring case', async ({ store }) => {
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
}
