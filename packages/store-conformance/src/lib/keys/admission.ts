import type { RateLimits } from '@callboard/core'
import type { CallerPageRequest, RequestOf, Store } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addAccount, addKey, type HeldKey, publish } from '../arranging/arrange.ts'
import { draft, draftsOfOneSubject, ENTRY, randomBytes, WIDE_LIMITS } from '../arranging/inputs.ts'
import type { StoreIt } from '../arranging/store-it.ts'

const NARROW: RateLimits = [
  { seconds: 86_400, limit: 2 },
  { seconds: 2 * 86_400, limit: 3 },
  { seconds: 4 * 86_400, limit: 10 },
]
const DAY_MS = 86_400_000
const PAGE: CallerPageRequest = { type: undefined, after: undefined, limit: 25, horizonMs: 3_600_000 }

export function describeAdmission(it: StoreIt): void {
  const admit = (store: Store<unknown>, { tokenHash }: Pick<HeldKey, 'tokenHash'>, limits: RateLimits) =>
    store.admission.admitRequest({ tokenHash, limits })

  /** Admits a request. Returns how many more requests each window allows. */
  const remaining = async (store: Store<unknown>, key: HeldKey, limits: RateLimits) => {
    const admission = await admit(store, key, limits)
    return admission.outcome === 'unknown' ? [] : admission.windows.map((window) => window.remaining)
  }

  /** The milliseconds until the longest window ends. At that moment, all windows start again. */
  const untilAllReset = async (store: Store<unknown>, key: HeldKey) => {
    const admission = await admit(store, key, NARROW)
    return admission.outcome === 'unknown' ? 0 : Math.max(...admission.windows.map(({ resetAfterMs }) => resetAfterMs))
  }

  describe('admission', () => {
    it('returns the key, account, mode, scopes and version of a token', async ({ store }) => {
      const account = await addAccount(store)
      const key = await addKey(store, account, { mode: 'test', scopes: ['webhooks.read', 'people.read'] })
      const { apiVersion } = key
      const caller = { keyId: key.id, account, mode: 'test', scopes: ['webhooks.read', 'people.read'], apiVersion }
      expect(await admit(store, key, WIDE_LIMITS)).toMatchObject({ outcome: 'admitted', caller })
      expect(await store.admission.identify(key.tokenHash)).toEqual({ caller, limits: undefined })
      await store.accounts.rename({ id: account.id, name: 'New' }, ENTRY)
      expect(await admit(store, key, WIDE_LIMITS)).toMatchObject({
        caller: { account: { id: account.id, name: 'New' } },
      })
    })

    it('reports a token as unknown if it was never issued or has expired', async ({ store, advance }) => {
      const account = await addAccount(store)
      const { createdAt } = await addKey(store, account)
      const key = await addKey(store, account, { expiresAt: new Date(createdAt.getTime() + 60_000) })
      expect(await admit(store, key, WIDE_LIMITS)).toMatchObject({ outcome: 'admitted' })
      await advance(60_000)
      for (const tokenHash of [key.tokenHash, randomBytes()]) {
        expect(await admit(store, { tokenHash }, WIDE_LIMITS)).toEqual({ outcome: 'unknown' })
        expect(await store.admission.identify(tokenHash)).toBeUndefined()
        const { admission, page } = await admitToEvents(store, { tokenHash, limits: WIDE_LIMITS }, PAGE)
        expect({ admission, page }).toEqual({ admission: { outcome: 'unknown' }, page: undefined })
      }
    })

    it('refuses a request that exceeds any window, and counts it in none', async ({ store, advance }) => {
      const key = await addKey(store, await addAccount(store))
      await advance(await untilAllReset(store, key))
      expect(await remaining(store, key, NARROW)).toEqual([1, 2, 9])
      expect(await remaining(store, key, NARROW)).toEqual([0, 1, 8])
      expect(await admit(store, key, NARROW)).toMatchObject({ outcome: 'limited', caller: { keyId: key.id } })
      expect(await remaining(store, key, NARROW)).toEqual([0, 1, 8])

      await advance(DAY_MS)
      expect(await remaining(store, key, NARROW)).toEqual([1, 0, 7])
      expect(await admit(store, key, NARROW)).toMatchObject({ outcome: 'limited' })
      expect(await remaining(store, key, NARROW)).toEqual([1, 0, 7])
    })

    it('admits a key whose windows are full as soon as the clock has been set back by an hour', async ({
      store,
      advance,
    }) => {
      const key = await addKey(store, await addAccount(store))
      const short: RateLimits = [
        { seconds: 60, limit: 1 },
        { seconds: 120, limit: 1 },
        { seconds: 600, limit: 1 },
      ]
      await admit(store, key, short)
      await advance(-3_600_000)
      const admission = await admit(store, key, short)
      expect(admission).toMatchObject({ outcome: 'admitted', windows: short.map(() => ({ remaining: 0 })) })
      for (const { seconds, resetAfterMs } of admission.outcome === 'admitted' ? admission.windows : [])
        expect(resetAfterMs).toBeLessThanOrEqual(seconds * 1000)
    })

    it('allows the full limit again when a window ends, and starts windows at multiples of their length', async ({
      store,
      advance,
    }) => {
      const key = await addKey(store, await addAccount(store))
      const admission = await admit(store, key, NARROW)
      if (admission.outcome === 'unknown') throw new Error('unknown')
      for (const { seconds, resetAfterMs } of admission.windows) {
        expect(resetAfterMs).toBeGreaterThan(0)
        expect(resetAfterMs).toBeLessThanOrEqual(seconds * 1000)
        const off = (key.createdAt.getTime() + resetAfterMs) % (seconds * 1000)
        // `off` can differ from 0, because `resetAfterMs` counts from the admission, a little later than `createdAt`.
        expect(Math.min(off, seconds * 1000 - off)).toBeLessThan(10_000)
      }
      await advance(await untilAllReset(store, key))
      expect(await remaining(store, key, NARROW)).toEqual([1, 2, 9])
    })

    it('counts each key’s requests separately, against its own limits if it has any, but not when it identifies the key', async ({
      store,
    }) => {
      const account = await addAccount(store)
      const key = await addKey(store, account)
      const special = await addKey(store, account, { limits: NARROW })
      expect(await remaining(store, key, WIDE_LIMITS)).toEqual([999, 1999, 2999])
      expect(await remaining(store, special, WIDE_LIMITS)).toEqual([1, 2, 9])
      expect(await store.admission.identify(special.tokenHash)).toMatchObject({ limits: NARROW })
      expect(await remaining(store, special, WIDE_LIMITS)).toEqual([0, 1, 8])
    })

    it.for(['admit', 'identify'] as const)(
      'records when a key was last used, to the minute (%s)',
      async (verb, { store, advance }) => {
        const account = await addAccount(store)
        const key = await addKey(store, account)
        const use = () => (verb === 'admit' ? admit(store, key, WIDE_LIMITS) : store.admission.identify(key.tokenHash))
        for (const wait of [0, 90_000, 10_000]) {
          await advance(wait)
          const { createdAt: before } = await addKey(store, account)
          await use()
          const used = (await store.keys.find(account.id, key.id))?.lastUsedAt?.getTime()
          expect(used).toBeGreaterThanOrEqual(before.getTime() - 60_000)
          expect(used).toBeLessThan(before.getTime() + 60_000)
        }
      },
    )

    it('returns the page together with the admission', async ({ store }) => {
      const account = await addAccount(store)
      const key = await addKey(store, account)
      const drafts = [draft(account), draft(account, { type: 'order.refunded' })]
      await publish(store, ...drafts, draft(account, { mode: 'test' }), draft(await addAccount(store)))
      const request = { tokenHash: key.tokenHash, limits: NARROW }
      const { admission, page } = await admitToEvents(store, request, PAGE)
      expect(admission).toMatchObject({
        outcome: 'admitted',
        caller: { keyId: key.id },
        windows: NARROW.map((window) => ({ ...window, remaining: window.limit - 1 })),
      })
      expect(page?.events.map(({ id }) => id).sort()).toEqual(drafts.map(({ id }) => id).sort())
      const refunds = await admitToEvents(store, request, { ...PAGE, type: 'order.refunded' })
      expect(refunds.page?.events.map(({ id }) => id)).toEqual([drafts[1]?.id])
    })

    it('returns the same page as events.page for the same position, limit and horizon', async ({ store, advance }) => {
      const account = await addAccount(store)
      const key = await addKey(store, account)
      await publish(store, draft(account))
      await advance(600_000)
      await publish(store, ...draftsOfOneSubject(account, 3))
      const asked = { type: undefined, limit: 2, horizonMs: 300_000 }
      const read = async (after: CallerPageRequest['after']) =>
        (await admitToEvents(store, { tokenHash: key.tokenHash, limits: WIDE_LIMITS }, { ...asked, after })).page
      const own = { ...asked, accountId: account.id, mode: 'live', personalData: false } as const
      const first = await read(undefined)
      expect(first).toMatchObject({ hasMore: true, events: [{}, {}] })
      expect(first).toEqual(await store.events.pageEvents({ ...own, after: undefined }))
      const second = await read(first?.events.at(-1))
      expect(second).toMatchObject({ hasMore: false, events: [{}] })
      expect(second).toEqual(await store.events.pageEvents({ ...own, after: first?.events.at(-1) }))
    })

    it('answers each of many concurrent requests with its own key and page', async ({ store }) => {
      const account = await addAccount(store)
      const other = await addAccount(store)
      const events = [...draftsOfOneSubject(account, 3), draft(account, { type: 'order.refunded' })]
      await publish(store, ...events, draft(other))
      const reader = await addKey(store, account)
      const after = (await admitToEvents(store, { tokenHash: reader.tokenHash, limits: WIDE_LIMITS }, PAGE)).page
        ?.events[1]
      const asked = [
        { key: reader, page: PAGE },
        { key: reader, page: { ...PAGE, after } },
        { key: { tokenHash: randomBytes() }, page: PAGE },
        {
          key: await addKey(store, account, { scopes: ['webhooks.read', 'people.read'] }),
          page: { ...PAGE, limit: 1 },
        },
        { key: reader, page: { ...PAGE, type: 'order.refunded' } },
        { key: await addKey(store, other, { mode: 'test' }), page: PAGE },
        { key: reader, page: { ...PAGE, type: 'order.paid', limit: 2 } },
        { key: await addKey(store, other), page: { ...PAGE, limit: 2 } },
        { key: await addKey(store, account, { scopes: ['webhooks.write'] }), page: PAGE },
      ]
      const ask = async ({ key: { tokenHash }, page }: (typeof asked)[number]) => {
        const { admission, page: read } = await admitToEvents(store, { tokenHash, limits: WIDE_LIMITS }, page)
        return { caller: admission.outcome === 'unknown' ? undefined : admission.caller, page: read }
      }
      const oneByOne: Awaited<ReturnType<typeof ask>>[] = []
      for (const each of asked) oneByOne.push(await ask(each))
      expect(await Promise.all(asked.map(ask))).toEqual(oneByOne)
      expect(oneByOne.map(({ page }) => page?.events.length)).toEqual([4, 2, undefined, 1, 1, 0, 2, 1, undefined])
    })

    it('counts concurrent requests of a key one by one', async ({ store, advance }) => {
      const key = await addKey(store, await addAccount(store))
      await advance(await untilAllReset(store, key))
      const asked = await Promise.all([NARROW, WIDE_LIMITS, NARROW, NARROW].map((limits) => admit(store, key, limits)))
      expect(asked.map(({ outcome }) => outcome)).toEqual(['admitted', 'admitted', 'limited', 'limited'])
      const left = asked.map((each) =>
        each.outcome === 'unknown' ? [] : each.windows.map(({ remaining }) => remaining),
      )
      expect(left).toEqual([
        [1, 2, 9],
        [998, 1998, 2998],
        [0, 1, 8],
        [0, 1, 8],
      ])
    })

    it('reads no page for a caller that is over its limit or lacks the scope', async ({ store }) => {
      const account = await addAccount(store)
      const writer = await addKey(store, account, { scopes: ['webhooks.write', 'people.read'] })
      await publish(store, draft(account))
      const unscoped = await admitToEvents(store, { tokenHash: writer.tokenHash, limits: NARROW }, PAGE)
      expect(unscoped).toMatchObject({ admission: { outcome: 'admitted' } })
      expect(unscoped.page).toBeUndefined()

      const reader = await addKey(store, account)
      await admit(store, reader, NARROW)
      await admit(store, reader, NARROW)
      const limited = await admitToEvents(store, { tokenHash: reader.tokenHash, limits: NARROW }, PAGE)
      expect(limited).toMatchObject({ admission: { outcome: 'limited' } })
      expect(limited.page).toBeUndefined()
    })

    it('includes personal data only in the page of a key with the scope people.read', async ({ store }) => {
      const account = await addAccount(store)
      const event = draft(account)
      await publish(store, event)
      const patches = async (key: HeldKey) =>
        (await admitToEvents(store, { tokenHash: key.tokenHash, limits: WIDE_LIMITS }, PAGE)).page?.events.map(
          ({ patch }) => patch,
        )
      expect(await patches(await addKey(store, account, { scopes: ['webhooks.read'] }))).toEqual([null])
      expect(await patches(await addKey(store, account, { scopes: ['webhooks.read', 'people.read'] }))).toEqual([
        event.patch,
      ])
    })
  })
}

/** Admits a request for a page. */
async function admitToEvents(
  { admission: store }: Store<unknown>,
  request: RequestOf<'admission', 'admitRequest'>,
  page: CallerPageRequest,
) {
  const admitted = await store.admitRequest({ ...request, page })
  if (admitted.outcome !== 'admitted') return { admission: admitted, page: undefined }
  const { page: read, ...admission } = admitted
  return { admission, page: read }
}
