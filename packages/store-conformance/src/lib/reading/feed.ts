import { createId } from '@callboard/core'
import { FEED_OVERLAP_MS, type FeedPage, type FeedPlace, type FeedRead, type Store } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addAccount, addSubscriber, feed, feedDrafts, publish } from '../arranging/arrange.ts'
import { draft, draftsOfOneSubject, newAccount } from '../arranging/inputs.ts'
import { EVENTS_OF_AN_HOUR, HOUR_MS, retainAll } from '../arranging/retention-passes.ts'
import type { StoreIt } from '../arranging/store-it.ts'

const MINUTE_MS = 60_000
const END: FeedRead['start'] = { at: 'end' }
const BEGINNING: FeedRead['start'] = { at: 'time', time: new Date(0) }

export function describeFeed(it: StoreIt): void {
  type Overrides = Partial<FeedRead>

  const readOf = (account: { readonly id: string }, start: FeedRead['start'], overrides: Overrides = {}): FeedRead => ({
    accountId: account.id,
    mode: 'live',
    types: undefined,
    start,
    limit: 25,
    horizonMs: 100 * HOUR_MS,
    personalData: false,
    ...overrides,
  })

  async function read(
    store: Store<unknown>,
    account: { readonly id: string },
    start: FeedRead['start'],
    overrides?: Overrides,
  ): Promise<FeedPage> {
    const [page] = await store.events.readFeed([readOf(account, start, overrides)])
    if (page === undefined) throw new Error('no page')
    return page
  }

  const past = (place: FeedPlace): FeedRead['start'] => ({ at: 'place', place })
  const idsOf = ({ events }: FeedPage): string[] => events.map(({ id }) => id)

  /** Reads until no page follows. */
  async function follow(
    store: Store<unknown>,
    account: { readonly id: string },
    start: FeedRead['start'],
    overrides: Overrides,
  ): Promise<{ readonly ids: string[]; readonly place: FeedPlace }> {
    const ids: string[] = []
    for (let from = start, pages = 0; pages < 100; pages++) {
      const page = await read(store, account, from, overrides)
      expect(page.truncated).toBe(false)
      ids.push(...idsOf(page))
      if (!page.hasMore) return { ids, place: page.place }
      from = past(page.place)
    }
    throw new Error('the feed has no end')
  }

  describe('reading the feed', () => {
    it('starts at the end, and then gives each event once, oldest first', async ({ store }) => {
      const account = await addAccount(store)
      await feed(store, account, 3)
      const start = await read(store, account, END)
      expect(start).toMatchObject({ events: [], hasMore: false, truncated: false })

      const first = await feed(store, account, 5)
      const one = await follow(store, account, past(start.place), { limit: 2 })
      expect(one.ids).toEqual(first)
      expect(await follow(store, account, past(one.place), {})).toEqual({ ids: [], place: one.place })

      const second = await feed(store, account, 2)
      expect((await follow(store, account, past(one.place), { limit: 1 })).ids).toEqual(second)
      expect((await follow(store, account, BEGINNING, { limit: 3 })).ids).toHaveLength(10)
    })

    it('starts at the end of a feed that has no event yet, and of an unknown account', async ({ store }) => {
      const account = await addAccount(store)
      const { place } = await read(store, account, END)
      expect(place).toMatchObject({ position: 0, event: undefined })
      expect(await read(store, newAccount(), END)).toMatchObject({ events: [], hasMore: false, truncated: false })
      const ids = await feed(store, account, 2)
      expect(idsOf(await read(store, account, past(place)))).toEqual(ids)
    })

    it('gives an event only once it is sequenced, in the order of its subject', async ({ store }) => {
      const account = await addAccount(store)
      const drafts = draftsOfOneSubject(account, 3)
      await publish(store, ...drafts)
      const { place, events } = await read(store, account, BEGINNING)
      expect(events).toEqual([])
      await store.deliveries.sequence(1000)
      expect(idsOf(await read(store, account, past(place)))).toEqual(drafts.map(({ id }) => id))
    })

    it('gives the body of each event, its place, and its patch only to a reader of personal data', async ({
      store,
    }) => {
      const account = await addAccount(store)
      const [id = ''] = await feed(store, account, 1)
      const [event] = (await read(store, account, BEGINNING)).events
      const { place } = await read(store, account, END)
      const { body } = (await store.events.find(account.id, 'live', id)) ?? {}
      expect(event).toMatchObject({ id, type: 'order.paid', body, patch: null, fingerprint: 'f1' })
      expect(place).toMatchObject({ position: event?.position, event: { id, publishedAt: event?.publishedAt } })
      const open = await read(store, account, BEGINNING, { personalData: true })
      expect(open.events[0]?.patch).toBe('[["order.buyer.name","Ada"]]')
    })

    it('gives only events of the wanted types, and its place passes the others', async ({ store }) => {
      const account = await addAccount(store)
      const kinds = ['a', 'b', 'c', 'a', 'c', 'b', 'a', 'c']
      const drafts = kinds.map((kind) => draft(account, { type: `order.${kind}` }))
      for (const one of drafts) await feedDrafts(store, one)
      const wanted = drafts.filter(({ type }) => type !== 'order.c').map(({ id }) => id)
      const types = ['order.a', 'order.b', 'order.never']
      const { ids, place } = await follow(store, account, BEGINNING, { types, limit: 2 })
      expect(ids).toEqual(wanted)
      expect(place.event?.id).toBe(drafts.at(-1)?.id)
      expect(await read(store, account, BEGINNING, { types: ['order.never'] })).toMatchObject({
        events: [],
        hasMore: false,
        place,
      })
    })

    it('gives no event of another account or mode', async ({ store }) => {
      const [account, other] = [await addAccount(store), await addAccount(store)]
      const [live, test] = [draft(account), draft(account, { mode: 'test' })]
      await feedDrafts(store, live, test, draft(other))
      expect(idsOf(await read(store, account, BEGINNING))).toEqual([live.id])
      expect(idsOf(await read(store, account, BEGINNING, { mode: 'test' }))).toEqual([test.id])
    })

    it('reads a page for each of several readers', async ({ store }) => {
      const [one, two] = [await addAccount(store), await addAccount(store)]
      const [ofOne, ofTwo] = [await feed(store, one, 2), await feed(store, two, 1)]
      const pages = await store.events.readFeed([
        readOf(two, BEGINNING),
        readOf(one, END),
        readOf(one, BEGINNING, { limit: 1 }),
        readOf(one, BEGINNING, { types: ['order.never'] }),
        readOf(two, BEGINNING, { types: ['order.paid'], personalData: true }),
      ])
      expect(pages.map(idsOf)).toEqual([ofTwo, [], [ofOne[0]], [], ofTwo])
      expect(await store.events.readFeed([])).toEqual([])
    })

    it('starts at or before the first event published at a time, and not much earlier', async ({ store, advance }) => {
      const account = await addAccount(store)
      const times: { readonly id: string; readonly publishedAt: number }[] = []
      for (let minute = 0; minute < 5; minute++) {
        const [id = ''] = await feed(store, account, 1)
        const { events } = await read(store, account, BEGINNING)
        times.push({ id, publishedAt: events.at(-1)?.publishedAt ?? 0 })
        await store.deliveries.sweep()
        await advance(2 * MINUTE_MS)
      }
      for (const [index, { publishedAt }] of times.entries()) {
        const page = await read(store, account, { at: 'time', time: new Date(publishedAt) })
        expect(idsOf(page)).toEqual(times.slice(index).map(({ id }) => id))
        expect(page.truncated).toBe(false)
      }
      const later = new Date((times.at(-1)?.publishedAt ?? 0) + MINUTE_MS)
      expect(idsOf(await read(store, account, { at: 'time', time: later }))).toEqual([])
    })

    it('misses nothing after a time, although the clock was set back', async ({ store, advance }) => {
      const account = await addAccount(store)
      await store.deliveries.sweep()
      await advance(HOUR_MS)
      const [ahead = ''] = await feed(store, account, 1)
      await store.deliveries.sweep()
      await advance(-HOUR_MS + 2 * MINUTE_MS)
      const [behind = ''] = await feed(store, account, 1)
      await store.deliveries.sweep()
      const { events } = await read(store, account, BEGINNING)
      for (const { id, publishedAt } of events)
        expect(idsOf(await read(store, account, { at: 'time', time: new Date(publishedAt) }))).toContain(id)
      expect(events.map(({ id }) => id)).toEqual([ahead, behind])
    })

    it('says so if retention has removed events that the reader has not had', async ({ store, advance }) => {
      const account = await addAccount(store)
      await feed(store, account, 1)
      const { place } = await read(store, account, END)
      const [, second = ''] = await feed(store, account, 2)
      const passed = (await read(store, account, past(place), { limit: 2 })).place
      await advance(2 * HOUR_MS)
      await retainAll(store, EVENTS_OF_AN_HOUR)
      const [fresh] = await feed(store, account, 1)

      const overtaken = await read(store, account, past(place))
      expect(overtaken).toMatchObject({ events: [{ id: fresh }], truncated: true })
      expect(passed.event?.id).toBe(second)
      expect(await read(store, account, past(passed))).toMatchObject({ events: [{ id: fresh }], truncated: false })
      expect(await read(store, account, past(overtaken.place))).toMatchObject({ events: [], truncated: false })
    })

    it('keeps its place in a feed that retention has emptied', async ({ store, advance }) => {
      const account = await addAccount(store)
      await feed(store, account, 1)
      const { place } = await read(store, account, END)
      await advance(2 * HOUR_MS)
      await retainAll(store, EVENTS_OF_AN_HOUR)
      const emptied = await read(store, account, past(place))
      expect(emptied).toMatchObject({ events: [], truncated: false, place: { event: undefined } })
      expect(emptied.place.position).toBe(place.position)
      const ids = await feed(store, account, 1)
      expect(await read(store, account, past(emptied.place))).toMatchObject({
        events: [{ id: ids[0] }],
        truncated: false,
      })
    })

    it('leaves out what is older than the horizon, and says so to a reader who has not had it', async ({
      store,
      advance,
    }) => {
      const account = await addAccount(store)
      const { place } = await read(store, account, END)
      await feed(store, account, 2)
      const passed = (await read(store, account, past(place))).place
      await store.deliveries.sweep()
      await advance(2 * HOUR_MS)
      const [fresh] = await feed(store, account, 1)
      const page = { events: [{ id: fresh }], hasMore: false }
      expect(await read(store, account, past(place), { horizonMs: HOUR_MS })).toMatchObject({
        ...page,
        truncated: true,
      })
      expect(await read(store, account, past(passed), { horizonMs: HOUR_MS })).toMatchObject({
        ...page,
        truncated: false,
      })
    })

    it('goes back in time if the end of the feed may have been lost, and says so', async ({ store, advance }) => {
      const account = await addAccount(store)
      await feed(store, account, 1)
      await advance(MINUTE_MS)
      await store.deliveries.sweep()
      await advance(FEED_OVERLAP_MS + MINUTE_MS)
      const recent = await feed(store, account, 2)
      const { place } = await read(store, account, END)
      const event = place.event ?? { id: '', publishedAt: 0 }

      const ofAnotherHistory = { ...place, generation: crypto.randomUUID() }
      const ofAnotherEvent = { ...place, event: { ...event, id: createId('evt') } }
      const beyondTheEnd = { ...place, position: place.position + 1000 }
      for (const lost of [ofAnotherHistory, ofAnotherEvent, beyondTheEnd]) {
        const page = await read(store, account, past(lost))
        expect(page).toMatchObject({ events: recent.map((id) => ({ id })), truncated: true, place })
        expect(await read(store, account, past(page.place))).toMatchObject({ events: [], truncated: false })
      }
      const empty = { ...ofAnotherHistory, position: 0, event: undefined }
      expect(await read(store, account, past(empty))).toMatchObject({ events: [{}, {}, {}], truncated: true })
    })

    it('is empty after an account is deleted', async ({ store }) => {
      const { account } = await addSubscriber(store)
      await feed(store, account, 2)
      const { place } = await read(store, account, END)
      await store.accounts.delete(account.id, {
        actor: { type: 'platform', id: undefined },
        action: 'account.deleted',
        accountId: account.id,
        mode: undefined,
        objectId: undefined,
        details: {},
      })
      expect(await read(store, account, past(place))).toMatchObject({ events: [], hasMore: false })
    })
  })
}
