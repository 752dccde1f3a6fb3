import { createId } from '@callboard/core'
import type { RequestOf, Store } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addAccount, publish } from '../arranging/arrange.ts'
import { draft, newAccount } from '../arranging/inputs.ts'
import type { StoreIt } from '../arranging/store-it.ts'

export function describeEvents(it: StoreIt): void {
  const readPage = (
    store: Store<unknown>,
    account: { readonly id: string },
    overrides: Partial<RequestOf<'events', 'pageEvents'>> = {},
  ) =>
    store.events.pageEvents({
      accountId: account.id,
      mode: 'live',
      type: undefined,
      after: undefined,
      limit: 25,
      horizonMs: 3_600_000,
      personalData: false,
      ...overrides,
    })

  const readIds = async (...args: Parameters<typeof readPage>) => (await readPage(...args)).events.map(({ id }) => id)

  describe('reading events', () => {
    it('pages through all events once, by occurredAt and then by id, newest first', async ({ store }) => {
      const account = await addAccount(store)
      const times = [3, 1, 2, 2, 2, 5, 1].map((hours) => new Date(Date.UTC(2026, 9, 1, hours)))
      const drafts = times.map((occurredAt) => draft(account, { occurredAt }))
      await publish(store, ...drafts.slice(0, 4))
      await publish(store, ...drafts.slice(4))
      const expected = drafts.toSorted(
        (a, b) => b.occurredAt.getTime() - a.occurredAt.getTime() || (a.id < b.id ? 1 : -1),
      )

      const seen: { id: string; occurredAt: number }[] = []
      for (let pages = 1; pages <= 4; pages++) {
        const { events, hasMore } = await readPage(store, account, { limit: 2, after: seen.at(-1) })
        expect(hasMore).toBe(pages < 4)
        seen.push(...events)
      }
      expect(seen.map(({ id, occurredAt }) => ({ id, occurredAt }))).toEqual(
        expected.map(({ id, occurredAt }) => ({ id, occurredAt: occurredAt.getTime() })),
      )
    })

    it('reports no further page after a page that ends with the last event', async ({ store }) => {
      const account = await addAccount(store)
      await publish(store, draft(account), draft(account))
      expect(await readPage(store, account, { limit: 2 })).toMatchObject({ hasMore: false, events: [{}, {}] })
      expect(await readPage(store, account, { limit: 1 })).toMatchObject({ hasMore: true, events: [{}] })
      expect(await readPage(store, newAccount())).toEqual({ events: [], hasMore: false })
    })

    it('continues after a position, whether or not an event has that position', async ({ store }) => {
      const account = await addAccount(store)
      const [first, second, third] = [1, 2, 3].map((hour) =>
        draft(account, { occurredAt: new Date(Date.UTC(2026, 9, 1, hour)) }),
      )
      await publish(store, first!, third!)
      expect(
        await readIds(store, account, { after: { occurredAt: second!.occurredAt.getTime(), id: second!.id } }),
      ).toEqual([first!.id])
    })

    it('returns only events of the requested type', async ({ store }) => {
      const account = await addAccount(store)
      const drafts = ['a.one', 'a.two', 'a.one', 'a.two', 'a.one'].map((type) =>
        draft(account, { type, occurredAt: new Date(0) }),
      )
      await publish(store, ...drafts)
      const ones = drafts
        .filter(({ type }) => type === 'a.one')
        .map(({ id }) => id)
        .sort()
        .reverse()
      const first = await readPage(store, account, { type: 'a.one', limit: 2 })
      expect(first).toMatchObject({ hasMore: true, events: ones.slice(0, 2).map((id) => ({ id, type: 'a.one' })) })
      expect(await readIds(store, account, { type: 'a.one', after: first.events.at(-1) })).toEqual(ones.slice(2))
      expect(await readIds(store, account, { type: 'a.three' })).toEqual([])
    })

    it('returns only events of the account and mode', async ({ store }) => {
      const account = await addAccount(store)
      const live = draft(account)
      const test = draft(account, { mode: 'test' })
      await publish(store, live, test, draft(await addAccount(store)))
      expect(await readIds(store, account)).toEqual([live.id])
      expect(await readIds(store, account, { mode: 'test' })).toEqual([test.id])
      expect(await store.events.find(account.id, 'test', live.id)).toBeUndefined()
      expect(await store.events.find((await addAccount(store)).id, 'live', live.id)).toBeUndefined()
      expect(await store.events.find(account.id, 'live', createId('evt'))).toBeUndefined()
    })

    it('applies the horizon to the time of publishing, not to the time of occurrence', async ({ store, advance }) => {
      const account = await addAccount(store)
      const old = draft(account)
      await publish(store, old)
      await advance(600_000)
      const late = draft(account, { occurredAt: new Date(0) })
      await publish(store, late)
      expect(await readIds(store, account, { horizonMs: 300_000 })).toEqual([late.id])
      expect(await readPage(store, account, { horizonMs: 300_000, limit: 1 })).toMatchObject({ hasMore: false })
      expect(await readIds(store, account, { horizonMs: 3_600_000 })).toEqual([old.id, late.id])
    })

    it('finds an event only within the horizon, if one is given', async ({ store, advance }) => {
      const account = await addAccount(store)
      const old = draft(account, { occurredAt: new Date(0) })
      await publish(store, old)
      await advance(600_000)
      expect(await store.events.find(account.id, 'live', old.id, 3_600_000)).toMatchObject({ id: old.id })
      expect(await store.events.find(account.id, 'live', old.id, 300_000)).toBeUndefined()
      expect(await store.events.find(account.id, 'live', old.id)).toMatchObject({ id: old.id })
    })

    it('returns personal data only when the caller may see it', async ({ store }) => {
      const account = await addAccount(store)
      const [personal, impersonal] = [
        draft(account, { occurredAt: new Date(1) }),
        draft(account, { occurredAt: new Date(0), patch: null }),
      ]
      await publish(store, personal, impersonal)
      const patches = async (personalData: boolean) =>
        (await readPage(store, account, { personalData })).events.map(({ patch }) => patch)
      expect(await patches(true)).toEqual([personal.patch, null])
      expect(await patches(false)).toEqual([null, null])
    })

    it('returns each event with its own body and personal data, whatever the account’s name contains', async ({
      store,
    }) => {
      const name = 'Harbour\nHall, "Pier" {2}\r\n'
      const account = await addAccount(store, { name })
      const drafts = [null, '20,3:a,b', null, '20,1:c'].map((patch, index) =>
        draft(account, { patch, occurredAt: new Date(9 - index), sequence: 7, fingerprint: `f${index}` }),
      )
      await publish(store, ...drafts)
      const { events } = await readPage(store, account, { personalData: true })
      expect(events).toEqual(
        drafts.map(({ id, type, occurredAt, head, middle, tail, patch, fingerprint }) => ({
          id,
          type,
          occurredAt: occurredAt.getTime(),
          body: `${head}${JSON.stringify(name)}${middle}7${tail}`,
          patch,
          fingerprint,
        })),
      )
    })

    it('returns the same events before and after they are sequenced', async ({ store }) => {
      const account = await addAccount(store)
      await publish(store, draft(account))
      const before = await readPage(store, account, { personalData: true })
      expect(before.events).toHaveLength(1)
      await store.deliveries.sequence(10)
      expect(await readPage(store, account, { personalData: true })).toEqual(before)
    })
  })
}
