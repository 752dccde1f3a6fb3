import { type CallboardError, createCallboard, defineCatalog, defineEventType } from '@callboard/core'
import { type EventsQuery, engineOf } from '@callboard/core/engine'
import { describe, expect } from 'vitest'
import * as z from 'zod'
import { callerOf, envelopes, issueKey, orderPaidEvent, pageOf, thrownBy } from './arrange.ts'
import { describeOnEachStore, facadeOptions, RING, type SampleCallboard } from './on-each-store.ts'
import { checkedIn, orderPaid } from './sample-catalog.ts'

const DAY_MS = 86_400_000
const AT = new Date('2026-10-02T08:15:30.007Z')
const checkedInEvent = (id = 'att_1') => ({
  accountId: 'acc',
  type: 'attendee.checked_in' as const,
  subject: { type: 'attendee', id },
  data: { attendee: { id, name: 'Bob' } },
})

/** The ids on all pages, found by following the cursors. */
async function walk(callboard: SampleCallboard, query: EventsQuery): Promise<string[][]> {
  const pages: string[][] = []
  for (let cursor: string | undefined; ; ) {
    const page = await callboard.events.page({ accountId: 'acc', ...query, cursor })
    pages.push(page.data.map(({ id }) => id))
    if (page.nextCursor === null) return pages
    expect(page.hasMore).toBe(true)
    cursor = page.nextCursor
  }
}

async function firstCursor(callboard: SampleCallboard, query: EventsQuery = {}): Promise<string> {
  const { nextCursor } = await callboard.events.page({ accountId: 'acc', limit: 1, ...query })
  if (nextCursor === null) throw new Error('there is one page only')
  return nextCursor
}

const badCursor = { code: 'VALIDATION_FAILED', issues: [{ path: 'cursor' }] }

/** Dates that Postgres refuses, or that are none. */
const BAD_DATES = [
  new Date(8.64e15),
  new Date(-8.64e15),
  new Date('0000-12-31T23:59:59.999Z'),
  new Date('+010000-01-01T00:00:00Z'),
  new Date(Number.NaN),
  '2026-10-01' as unknown as Date,
]

describeOnEachStore('reading events', {
  any(it) {
    it.for([-3_600_000, -5_000, 5_000, 3_600_000])(
      'knows repeats, events and keys, and removes nothing, after clocks have been moved by %i ms',
      async (step, { open, callboard, fixture }) => {
        const clock = { ahead: 0 }
        const platform = open({ now: () => Date.now() + clock.ahead, maxEventsPerSecond: 2 })
        const key = await issueKey(callboard, { expiresAt: new Date(Date.now() + DAY_MS) })
        const successor = await callboard.keys.rotate({ accountId: 'acc', id: key.id, overlapMs: 2 * 3_600_000 })
        const once = orderPaidEvent({ idempotencyKey: 'once' })
        const ids = [(await platform.publish(once)).id]
        for (const move of [() => fixture.advance(step), () => Object.assign(clock, { ahead: step })]) {
          await move()
          expect(await platform.publish(once)).toMatchObject({ id: ids[0] })
          ids.push((await callboard.publish(orderPaidEvent())).id)
          for (const { token } of [key, successor])
            expect(await callerOf(callboard, token)).toMatchObject({ account: { id: 'acc' } })
          expect((await envelopes(platform)).map(({ id }) => id).sort()).toEqual(ids.toSorted())
          expect(await platform.retention.run()).toMatchObject({ events: 0 })
          const { outboxAgeMs, laneLagMs, undeliveredMs } = await fixture.store.deliveries.gauges()
          expect(Math.min(outboxAgeMs, laneLagMs, undeliveredMs)).toBeGreaterThanOrEqual(0)
        }
      },
    )

    it('refuses dates outside the years 1 to 9999 wherever a date can be passed', async ({ callboard }) => {
      const owner = { accountId: 'acc', mode: 'live' } as const
      const { id } = await issueKey(callboard)
      const created = await callboard.subscriptions.create({
        ...owner,
        targetUrl: 'https://example.com/',
        eventTypes: ['order.paid'],
      })
      const ref = { ...owner, id: created.id }
      const verbs: Readonly<Record<string, (date: Date) => Promise<unknown>>> = {
        occurredAt: (occurredAt) => callboard.publish(orderPaidEvent({ occurredAt })),
        from: (from) => callboard.events.search({ ...owner, from }),
        to: (to) => callboard.events.search({ ...owner, to }),
        horizon: (horizon) => callboard.erasure.before({ horizon }),
        expiresAt: (expiresAt) => callboard.keys.issue({ ...owner, name: 'k', scopes: [], expiresAt }),
        'rotated expiresAt': (expiresAt) => callboard.keys.rotate({ accountId: 'acc', id, expiresAt }),
        'resent from': (from) => callboard.deliveries.resendRange({ ...ref, subscriptionId: ref.id, from }),
        'resent to': (to) => callboard.deliveries.resendRange({ ...ref, subscriptionId: ref.id, from: AT, to }),
      }
      for (const [verb, call] of Object.entries(verbs))
        for (const date of BAD_DATES) {
          const path = verb.replace(/.* /, '')
          expect(await thrownBy(call(date)), `${verb} ${String(date)}`).toMatchObject({
            code: 'VALIDATION_FAILED',
            issues: [{ path }],
          })
        }
      const [first, last] = [new Date('0001-01-01T00:00:00Z'), new Date('9999-12-31T23:59:59.999Z')]
      for (const verb of ['from', 'to', 'horizon', 'resent from', 'resent to'])
        for (const date of [first, last]) await verbs[verb]?.(date)
      expect(await verbs['expiresAt']?.(last)).toMatchObject({ expiresAt: last })
      expect(await verbs['rotated expiresAt']?.(last)).toMatchObject({ expiresAt: last })
    })

    describe('personal data (section 2.5 of the /v1 contract)', () => {
      const order = {
        id: 'o',
        buyer: { entity_id: 'p', name: 'Ada', email: 'ada@example.com' },
        lines: [
          { name: 'First', attendee: { name: 'Bob', email: 'bob@example.com' } },
          { name: 'Second', attendee: {} },
          { name: 'Third', attendee: { email: 'cy@example.com' } },
        ],
      }

      it('is left out, not set to null or empty, even inside arrays; an object that becomes empty stays', async ({
        callboard,
      }) => {
        await callboard.publish(orderPaidEvent({ data: { order } }))
        const [event] = await envelopes(callboard)
        expect(event?.data.order).toEqual({
          id: 'o',
          status: 'paid',
          buyer: { entity_id: 'p' },
          lines: [
            { name: 'First', attendee: {} },
            { name: 'Second', attendee: {} },
            { name: 'Third', attendee: {} },
          ],
        })
      })

      it('is complete for a reader who may see personal data', async ({ callboard }) => {
        await callboard.publish(orderPaidEvent({ data: { order } }))
        const [event] = await envelopes(callboard, { personalData: true })
        expect(event?.data.order).toEqual({ ...order, status: 'paid' })
        const id = event?.id ?? ''
        await expect(callboard.events.find({ accountId: 'acc', id, personalData: true })).resolves.toEqual(event)
        expect(JSON.stringify(await callboard.events.find({ accountId: 'acc', id }))).not.toMatch(
          /Ada|Bob|example\.com/,
        )
      })

      it('is present or absent in a single event exactly as in the page, byte for byte', async ({ callboard }) => {
        await callboard.publish(orderPaidEvent({ data: { order } }))
        for (const personalData of [true, false]) {
          const { eventTexts } = engineOf(callboard)
          const [text] = (await eventTexts.page({ accountId: 'acc', personalData })).data
          const { id } = JSON.parse(text ?? '')
          expect(await eventTexts.find({ accountId: 'acc', id, personalData })).toBe(text)
          expect(await eventTexts.find({ accountId: 'acc', mode: 'test', id, personalData })).toBeUndefined()
        }
      })

      it('is present or absent in the parsed events that the platform reads, just as in the page', async ({
        callboard,
      }) => {
        await callboard.publishMany([orderPaidEvent({ data: { order } }), checkedInEvent()])
        for (const personalData of [true, false]) {
          const reader = { accountId: 'acc', personalData }
          const { data, ...texts } = await engineOf(callboard).eventTexts.page({ ...reader, limit: 1 })
          const parsed = data.map((text) => JSON.parse(text))
          expect(await callboard.events.page({ ...reader, limit: 1 })).toEqual({ ...texts, data: parsed })
          expect(await callboard.events.find({ accountId: 'acc', id: parsed[0].id, personalData })).toEqual(parsed[0])
        }
      })

      it('depends on the scope people.read of the key (section 4.3 of the /v1 contract)', async ({ callboard }) => {
        await callboard.publish(orderPaidEvent({ data: { order } }))
        const read = async (scopes: ('webhooks.read' | 'people.read')[]) => {
          const { token } = await issueKey(callboard, { scopes })
          return (await pageOf(callboard, token)).data[0]
        }
        await expect(read(['webhooks.read'])).resolves.not.toMatch(/Ada|Bob|example\.com/)
        await expect(read(['webhooks.read', 'people.read'])).resolves.toContain('ada@example.com')
        await expect(read(['people.read'])).rejects.toThrow('only an admitted caller')
      })

      it('leads to exactly two texts of an event, one with it and one without, each the same on every read', async ({
        callboard,
        open,
      }) => {
        await callboard.publish(orderPaidEvent({ data: { order } }))
        const { token } = await issueKey(callboard)
        for (const personalData of [false, true]) {
          const [first] = (await engineOf(callboard).eventTexts.page({ accountId: 'acc', personalData })).data
          const [again] = (await engineOf(open()).eventTexts.page({ accountId: 'acc', personalData })).data
          expect(again).toBe(first)
        }
        const { data } = await engineOf(callboard).eventTexts.page({ accountId: 'acc' })
        expect((await pageOf(callboard, token)).data).toEqual(data)
      })
    })

    describe('a changed catalogue', () => {
      const withPaths = (...personalDataPaths: string[]) =>
        defineCatalog({
          version: '2026-10-01',
          types: [defineEventType({ ...orderPaid, personalDataPaths }), checkedIn],
        })

      it('hides fields that became personal data after an event was published', async ({ fixture, callboard }) => {
        const before = createCallboard({ ...facadeOptions(fixture), catalog: withPaths('order.buyer.name') })
        await before.publish(orderPaidEvent())
        expect((await envelopes(before))[0]?.data.order.buyer).toEqual({ entity_id: 'per_1', email: 'ada@example.com' })
        expect((await envelopes(callboard))[0]?.data.order.buyer).toEqual({ entity_id: 'per_1' })
        expect((await envelopes(callboard, { personalData: true }))[0]?.data.order.buyer).toEqual({
          entity_id: 'per_1',
          name: 'Ada',
          email: 'ada@example.com',
        })
      })

      it('keeps hiding fields that were personal data when an event was published', async ({ fixture, callboard }) => {
        await callboard.publish(orderPaidEvent())
        const after = createCallboard({ ...facadeOptions(fixture), catalog: withPaths('order.buyer.name') })
        expect((await envelopes(after))[0]?.data.order.buyer).toEqual({ entity_id: 'per_1' })
      })

      it('keeps events of a removed type readable and redacted, but refuses to filter by that type', async ({
        fixture,
        callboard,
      }) => {
        await callboard.publish(checkedInEvent())
        const after = createCallboard({
          ...facadeOptions(fixture),
          catalog: defineCatalog({ version: '2026-10-01', types: [orderPaid] }),
        })
        const { eventTexts } = engineOf(after)
        const { data } = await eventTexts.page({ accountId: 'acc' })
        expect(JSON.parse(data[0] ?? '')).toMatchObject({
          type: 'attendee.checked_in',
          data: { attendee: { id: 'att_1' } },
        })
        expect(data[0]).not.toContain('Bob')
        const full = await eventTexts.page({ accountId: 'acc', personalData: true })
        expect(full.data[0]).toContain('Bob')
        await expect(after.events.page({ accountId: 'acc', type: 'attendee.checked_in' })).rejects.toMatchObject({
          code: 'VALIDATION_FAILED',
          issues: [{ path: 'type', message: expect.stringContaining('attendee.checked_in') }],
        })
      })

      it('reads events of an earlier version without knowing their schema', async ({ fixture, callboard }) => {
        await callboard.publish(orderPaidEvent())
        const strict = defineEventType({
          ...orderPaid,
          schema: z.object({ order: z.object({ total: z.int() }) }),
          sample: { order: { total: 1 } },
          personalDataPaths: ['order.total'],
          personPath: undefined,
        })
        const after = createCallboard({
          ...facadeOptions(fixture),
          catalog: defineCatalog({ version: '2027-01-01', types: [strict] }),
        })
        expect((await envelopes(after))[0]).toMatchObject({ version: '2026-10-01', data: { order: { id: 'ord_1' } } })
      })
    })

    describe('a page (section 4.3 of the /v1 contract)', () => {
      it('is ordered by occurred_at and then id, newest first, even if it ends between events of equal time', async ({
        callboard,
      }) => {
        const times = [AT, AT, AT, new Date(AT.getTime() + 1), AT, new Date(AT.getTime() - 1), AT]
        const published = await callboard.publishMany(times.map((occurredAt) => orderPaidEvent({ occurredAt })))
        const expected = published
          .toSorted((a, b) => b.occurredAt.getTime() - a.occurredAt.getTime() || (a.id < b.id ? 1 : -1))
          .map(({ id }) => id)
        const pages = await walk(callboard, { limit: 2 })
        expect(pages.map((page) => page.length)).toEqual([2, 2, 2, 1])
        expect(pages.flat()).toEqual(expected)
      })

      it('has 25 events by default, 1 to 100 on request, and no cursor if it is the last page', async ({
        callboard,
      }) => {
        await callboard.publishMany(Array.from({ length: 101 }, () => orderPaidEvent()))
        const size = async (query: EventsQuery) => {
          const page = await callboard.events.page({ accountId: 'acc', ...query })
          expect(page.nextCursor !== null).toBe(page.hasMore)
          return page.data.length
        }
        await expect(size({})).resolves.toBe(25)
        await expect(size({ limit: 1 })).resolves.toBe(1)
        await expect(size({ limit: 100 })).resolves.toBe(100)
        expect((await walk(callboard, { limit: 100 })).map((page) => page.length)).toEqual([100, 1])
      })

      it('has no cursor if it is the last page, even if it is full', async ({ callboard }) => {
        await callboard.publishMany([orderPaidEvent(), orderPaidEvent()])
        await expect(callboard.events.page({ accountId: 'acc', limit: 2 })).resolves.toMatchObject({
          nextCursor: null,
          hasMore: false,
        })
      })

      it.for([0, 101, -1, 1.5, Number.NaN])('cannot have a limit of %d', async (limit, { callboard }) => {
        await expect(callboard.events.page({ accountId: 'acc', limit })).rejects.toMatchObject({
          code: 'VALIDATION_FAILED',
          issues: [{ path: 'limit' }],
        })
      })

      it('can be filtered by type, and an unknown type is named in the error', async ({ callboard }) => {
        await callboard.publishMany([orderPaidEvent(), checkedInEvent(), orderPaidEvent(), checkedInEvent('att_2')])
        const pages = await walk(callboard, { type: 'attendee.checked_in', limit: 1 })
        expect(pages).toHaveLength(2)
        const error = (await thrownBy(
          callboard.events.page({ accountId: 'acc', type: 'order.refunded' }),
        )) as CallboardError
        expect(error).toMatchObject({ code: 'VALIDATION_FAILED', issues: [{ path: 'type' }] })
        expect(error.message).toContain('order.refunded')
      })

      it('continues after its cursor, whatever is published meanwhile', async ({ callboard }) => {
        const before = await callboard.publishMany([1, 2, 3].map((ms) => orderPaidEvent({ occurredAt: new Date(ms) })))
        const cursor = await firstCursor(callboard)
        await callboard.publish(orderPaidEvent({ occurredAt: new Date(10) }))
        const { data } = await callboard.events.page({ accountId: 'acc', cursor })
        expect(data.map(({ id }) => id)).toEqual([before[1]?.id, before[0]?.id])
      })

      it('shows only events that were published within the last 30 days', async ({ callboard, open, fixture }) => {
        await callboard.publish(orderPaidEvent({ occurredAt: new Date(Date.now() - 60 * DAY_MS) }))
        await expect(envelopes(callboard)).resolves.toHaveLength(1)
        await fixture.advance(30 * DAY_MS - 60_000)
        await expect(envelopes(callboard)).resolves.toHaveLength(1)
        await callboard.publish(orderPaidEvent())
        await fixture.advance(120_000)
        await expect(envelopes(callboard)).resolves.toHaveLength(1)
        await expect(envelopes(open({ eventHorizonMs: 40 * DAY_MS }))).resolves.toHaveLength(2)
        const { token } = await issueKey(callboard)
        expect((await pageOf(callboard, token)).data).toHaveLength(1)
      })
    })

    describe('cursors', () => {
      it('are refused if they come from another account, mode or filter', async ({ callboard }) => {
        await callboard.accounts.create({ id: 'other', name: 'Other' })
        await callboard.publishMany([orderPaidEvent(), orderPaidEvent(), orderPaidEvent({ accountId: 'other' })])
        const cursor = await firstCursor(callboard)
        const filtered = await firstCursor(callboard, { type: 'order.paid' })
        await expect(callboard.events.page({ accountId: 'other', cursor })).rejects.toMatchObject(badCursor)
        await expect(callboard.events.page({ accountId: 'acc', mode: 'test', cursor })).rejects.toMatchObject(badCursor)
        const typed = { type: 'order.paid' }
        await expect(callboard.events.page({ accountId: 'acc', ...typed, cursor })).rejects.toMatchObject(badCursor)
        await expect(callboard.events.page({ accountId: 'acc', cursor: filtered })).rejects.toMatchObject(badCursor)
        await expect(callboard.events.page({ accountId: 'acc', ...typed, cursor: filtered })).resolves.toMatchObject({
          data: [{ type: 'order.paid' }],
        })
      })

      it('are refused by the API as well if they come from another account or are forged', async ({ callboard }) => {
        await callboard.accounts.create({ id: 'other', name: 'Other' })
        await callboard.publishMany([orderPaidEvent(), orderPaidEvent(), orderPaidEvent({ accountId: 'other' })])
        const cursor = await firstCursor(callboard)
        const { token } = await issueKey(callboard, { accountId: 'other' })
        await expect(pageOf(callboard, token, { cursor })).rejects.toMatchObject(badCursor)
        // A well-formed cursor with a time that Postgres cannot represent, and without a valid signature.
        const forged = Uint8Array.from([
          1,
          2,
          ...new TextEncoder().encode('k1'),
          ...Array(6).fill(255),
          ...Array(48).fill(0),
        ])
        const unsigned = Buffer.from(forged).toString('base64url')
        await expect(pageOf(callboard, token, { cursor: unsigned })).rejects.toMatchObject(badCursor)
      })

      it('are refused if any of their characters is changed', async ({ callboard }) => {
        await callboard.publishMany([orderPaidEvent(), orderPaidEvent()])
        const cursor = await firstCursor(callboard)
        const altered = Array.from(
          cursor,
          (character, index) => `${cursor.slice(0, index)}${character === 'A' ? 'B' : 'A'}${cursor.slice(index + 1)}`,
        )
        for (const text of [...altered, '', ' ', `${cursor}A`, cursor.slice(0, -1), 'x'.repeat(5000)])
          await expect(callboard.events.page({ accountId: 'acc', cursor: text })).rejects.toMatchObject(badCursor)
      })

      it('are valid as long as the ring key that signed them is kept', async ({ callboard, open }) => {
        await callboard.publishMany([orderPaidEvent(), orderPaidEvent()])
        const cursor = await firstCursor(callboard)
        const page = (keys: Partial<typeof RING>) =>
          open({ secretKeys: { current: 'k2', keys } }).events.page({ accountId: 'acc', cursor })
        await expect(page(RING)).resolves.toMatchObject({ data: [{ type: 'order.paid' }] })
        await expect(page({ k2: RING.k2 })).rejects.toMatchObject(badCursor)
      })
    })

    it('shows each account and mode only its own events', async ({ callboard }) => {
      await callboard.accounts.create({ id: 'other', name: 'Other' })
      const [live, test, other] = await callboard.publishMany([
        orderPaidEvent(),
        orderPaidEvent({ mode: 'test' }),
        orderPaidEvent({ accountId: 'other' }),
      ])
      const ids = async (reader: object) => (await envelopes(callboard, reader)).map(({ id }) => id)
      await expect(ids({})).resolves.toEqual([live?.id])
      await expect(ids({ mode: 'test' })).resolves.toEqual([test?.id])
      await expect(ids({ accountId: 'other' })).resolves.toEqual([other?.id])
      await expect(ids({ accountId: 'nobody' })).resolves.toEqual([])
    })
  },
})
