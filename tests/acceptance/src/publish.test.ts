import { type CallboardError, createCallboard, defineCatalog, defineEventType, type LogEntry } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { describe, expect } from 'vitest'
import * as z from 'zod'
import { envelopes, issueKey, orderPaidEvent, pageOf, thrownBy } from './arrange.ts'
import { describeOnEachStore, facadeOptions } from './on-each-store.ts'
import { catalog, checkedIn, orderPaid } from './sample-catalog.ts'
import type { StoreFixture } from './stores.ts'

const ID = 'evt_01jb2c3d4e5f6g7h8j9k0mnpqr'
const OCCURRED_AT = new Date('2026-10-02T08:15:30.007Z')

describeOnEachStore('publishing', {
  any(it) {
    describe('the envelope (section 2.4 of the /v1 contract)', () => {
      it('is exactly this text', async ({ callboard }) => {
        const event = orderPaidEvent({ id: ID, occurredAt: OCCURRED_AT })
        await callboard.publish(event)
        const { data } = await engineOf(callboard).eventTexts.page({ accountId: 'acc' })
        expect(data).toEqual([
          `{"id":"${ID}","type":"order.paid","version":"2026-10-01","occurred_at":"2026-10-02T08:15:30.007Z",` +
            '"account":{"id":"acc","name":"Acme"},"subject":{"type":"order","id":"ord_1","sequence":1},' +
            '"correlation_id":null,"livemode":true,"data":{"order":{"id":"ord_1","status":"paid","buyer":{"entity_id":"per_1"},"lines":[]}}}',
        ])
      })

      it('carries the correlation id, and livemode false in test mode', async ({ callboard }) => {
        await callboard.publish(orderPaidEvent({ mode: 'test', correlationId: 'req “7”' }))
        const [event] = await envelopes(callboard, { mode: 'test' })
        expect(event).toMatchObject({ correlation_id: 'req “7”', livemode: false })
      })

      it("keeps the account's name from the time of publishing when the account is renamed", async ({ callboard }) => {
        await callboard.publish(orderPaidEvent({ occurredAt: OCCURRED_AT }))
        await callboard.accounts.rename({ id: 'acc', name: 'Acme "Ltd" \\ 😀' })
        await callboard.publish(orderPaidEvent())
        const events = await envelopes(callboard)
        expect(events.map(({ account }) => account.name)).toEqual(['Acme "Ltd" \\ 😀', 'Acme'])
      })

      it('is found by the id that publish returned', async ({ callboard }) => {
        const published = await callboard.publish(orderPaidEvent({ occurredAt: OCCURRED_AT }))
        expect(published).toMatchObject({
          type: 'order.paid',
          occurredAt: OCCURRED_AT,
          subject: { type: 'order', id: 'ord_1', sequence: 1 },
          repeated: false,
        })
        expect(published.id).toMatch(/^evt_[0-9a-hjkmnp-tv-z]{26}$/)
        await expect(callboard.events.find({ accountId: 'acc', id: published.id })).resolves.toMatchObject({
          id: published.id,
          subject: { sequence: 1 },
        })
        await expect(
          callboard.events.find({ accountId: 'acc', mode: 'test', id: published.id }),
        ).resolves.toBeUndefined()
        await expect(callboard.events.find({ accountId: 'acc', id: 'evt_nonsense' })).resolves.toBeUndefined()
      })
    })

    it.for([
      [{ tx: undefined }],
      [{ tx: null }],
      [{ tx: 'begin' }],
      [{}],
      [{ transaction: {} }],
      [{ query: async () => ({ rows: [] }) }],
      [null],
    ])(
      'refuses %j in place of { tx }, so that nothing is stored outside a transaction by mistake',
      async ([options], { callboard }) => {
        for (const publish of [
          // @ts-expect-error because the types refuse it too
          () => callboard.publish(orderPaidEvent(), options),
          // @ts-expect-error because the types refuse it too
          () => callboard.publishMany([orderPaidEvent(), orderPaidEvent()], options),
        ])
          expect(await thrownBy(publish())).toMatchObject({
            code: 'CONFIGURATION_INVALID',
            message: expect.stringContaining('Pass { tx }'),
          })
        await expect(envelopes(callboard)).resolves.toEqual([])
      },
    )

    describe('data that JSON cannot carry, or that receivers cannot store', () => {
      interface Nested {
        next?: Nested | undefined
      }
      const NESTED: z.ZodType<Nested, Nested> = z.lazy(() => z.object({ next: NESTED.optional() }))
      const noted = defineEventType({
        name: 'note.added',
        family: 'notes',
        descriptionKey: 'events.note_added',
        schema: z.object({ note: z.unknown(), nested: NESTED.optional() }),
        sample: { note: 'x' },
      })
      const noting = (fixture: StoreFixture) =>
        createCallboard({
          ...facadeOptions(fixture),
          catalog: defineCatalog({ version: '2027-01-01', types: [noted] }),
        })
      const noteEvent = (note: unknown, nested?: Nested) =>
        ({ accountId: 'acc', type: 'note.added', subject: { type: 'note', id: 'n' }, data: { note, nested } }) as const
      const loop: Nested = {}
      loop.next = loop
      let deep: Nested = {}
      for (let level = 0; level < 20_000; level++) deep = { next: deep }

      it.for<[string, unknown, Nested | undefined, string]>([
        ['a BigInt', [1n], undefined, 'data.note.0'],
        ['a cycle', loop, undefined, 'data.note.next'],
        ['a cycle that the schema follows', 1, loop, 'data.nested.next'],
        ['more levels than the schema can follow', 1, deep, 'data'],
        ['U+0000', { text: 'a\0' }, undefined, 'data.note.text'],
        ['a lone surrogate', '\ud83d', undefined, 'data.note'],
      ])('is refused with its path: %s', async ([, note, nested, path], { callboard, fixture }) => {
        expect(await thrownBy(noting(fixture).publish(noteEvent(note, nested)))).toMatchObject({
          code: 'VALIDATION_FAILED',
          issues: [{ path }],
        })
        await expect(envelopes(callboard)).resolves.toEqual([])
      })
    })

    describe('the stored event', () => {
      it("is zod's output, with defaults filled in and unknown keys removed", async ({ callboard }) => {
        const order = { id: 'ord_1', buyer: { entity_id: 'per_1' }, internal: 'not in the schema' }
        await callboard.publish(orderPaidEvent({ data: { order } }))
        const [event] = await envelopes(callboard)
        expect(event?.data).toEqual({
          order: { id: 'ord_1', status: 'paid', buyer: { entity_id: 'per_1' }, lines: [] },
        })
      })

      it('keeps any text inside data, and with allowUnsafeText even NUL and lone surrogates, as JSON does', async ({
        callboard,
        fixture,
      }) => {
        const lenient = createCallboard({ ...facadeOptions(fixture), catalog, allowUnsafeText: true })
        const note = 'a\u0000b\ud800\n"\\\u2028 😀'
        await lenient.publish(orderPaidEvent({ data: { order: { id: 'o', buyer: { entity_id: 'p' }, note } } }))
        const [event] = await envelopes(callboard)
        expect(event?.data.order.note).toBe(note)
      })
    })

    describe('refuses', () => {
      it('an unknown type', async ({ callboard }) => {
        const event = { ...orderPaidEvent(), type: 'order.refunded' as 'order.paid' }
        await expect(callboard.publish(event)).rejects.toMatchObject({
          code: 'EVENT_TYPE_UNKNOWN',
          message: expect.stringContaining('order.refunded'),
        })
      })

      it('an unknown account', async ({ callboard }) => {
        await expect(callboard.publish(orderPaidEvent({ accountId: 'nobody' }))).rejects.toMatchObject({
          code: 'ACCOUNT_UNKNOWN',
        })
      })

      it('data that the schema refuses, naming each path once and no values', async ({ callboard }) => {
        const data = {
          order: {
            id: 7,
            buyer: { entity_id: 'p', email: 'ada-at-home' },
            lines: [{ name: 'T' }],
            total: { amount: 0.5 },
          },
        }
        const error = (await thrownBy(callboard.publish(orderPaidEvent({ data: data as never })))) as CallboardError
        expect(error.code).toBe('VALIDATION_FAILED')
        expect(error.issues.map(({ path }) => path).sort()).toEqual([
          'data.order.buyer.email',
          'data.order.id',
          'data.order.lines.0.attendee',
          'data.order.total.amount',
          'data.order.total.currency',
        ])
        expect(JSON.stringify([error.message, error.issues])).not.toContain('ada-at-home')
        await expect(envelopes(callboard)).resolves.toEqual([])
      })

      it('any other invalid input, naming the invalid field', async ({ callboard }) => {
        const wrong = [
          ['accountId', { accountId: 'a\u0000b' }],
          ['accountId', { accountId: '' }],
          ['subject.type', { subject: { type: 'ord\ner', id: 'x' } }],
          ['subject.id', { subject: { type: 'order', id: '\ud800' } }],
          ['subject.id', { subject: { type: 'order', id: 'x'.repeat(256) } }],
          ['correlationId', { correlationId: 'a\u0085' }],
          ['correlationId', { correlationId: '' }],
          ['idempotencyKey', { idempotencyKey: 'a\u007f' }],
          ['idempotencyKey', { id: ID, idempotencyKey: 'both' }],
          ['id', { id: 'evt_1' }],
          ['id', { id: ID.replace('evt', 'sub') }],
          ['mode', { mode: 'sandbox' as never }],
          ['subject.sequence', { subject: { type: 'order', id: 'x', sequence: -1 } }],
          ['subject.sequence', { subject: { type: 'order', id: 'x', sequence: 1.5 } }],
          ['occurredAt', { occurredAt: new Date(Number.NaN) }],
          ['occurredAt', { occurredAt: new Date(-1) }],
          ['occurredAt', { occurredAt: '2026-10-02T08:15:30Z' as never }],
          // A person's id is stored in a text column, so the rules for text in Postgres apply.
          ['data.order.buyer.entity_id', { data: { order: { id: 'o', buyer: { entity_id: 'p\u0000' } } } }],
          ['data.order.buyer.entity_id', { data: { order: { id: 'o', buyer: { entity_id: 'p\ud800' } } } }],
        ] as const
        for (const [path, overrides] of wrong)
          await expect(callboard.publish(orderPaidEvent(overrides)), JSON.stringify(overrides)).rejects.toMatchObject({
            code: 'VALIDATION_FAILED',
            issues: [{ path }],
          })
        await expect(envelopes(callboard)).resolves.toEqual([])
      })

      it('a time more than 5 minutes ahead, but not one exactly 5 minutes ahead', async ({ open, callboard }) => {
        const now = Date.now()
        const facade = open({ now: () => now })
        const ahead = (ms: number) => facade.publish(orderPaidEvent({ occurredAt: new Date(now + ms) }))
        await expect(ahead(300_001)).rejects.toMatchObject({ issues: [{ path: 'occurredAt' }] })
        await expect(ahead(300_000)).resolves.toMatchObject({ repeated: false })
        await expect(facade.publish(orderPaidEvent({ occurredAt: new Date(0) }))).resolves.toMatchObject({
          occurredAt: new Date(0),
        })
        expect((await envelopes(callboard)).at(-1)?.occurred_at).toBe('1970-01-01T00:00:00.000Z')
      })
    })

    describe('size', () => {
      const withNote = (length: number) =>
        orderPaidEvent({
          data: { order: { id: 'o', buyer: { entity_id: 'p', name: 'Grace Hopper' }, note: 'n'.repeat(length) } },
        })

      it('may not exceed 256 KiB, counted in bytes and with personal data', async ({ callboard }) => {
        await expect(callboard.publish(withNote(256 * 1024))).rejects.toMatchObject({ code: 'EVENT_TOO_LARGE' })
        await expect(callboard.publish(withNote(255 * 1024))).resolves.toMatchObject({ repeated: false })
        const order = { id: 'o', buyer: { entity_id: 'p', name: '€'.repeat(88_000) } }
        await expect(callboard.publish(orderPaidEvent({ data: { order } }))).rejects.toMatchObject({
          code: 'EVENT_TOO_LARGE',
        })
      })

      it('is limited by maxEventBytes if that option is set', async ({ callboard, open }) => {
        await expect(open({ maxEventBytes: 1000 }).publish(withNote(1000))).rejects.toMatchObject({
          code: 'EVENT_TOO_LARGE',
        })
        await expect(callboard.publish(withNote(1000))).resolves.toMatchObject({ repeated: false })
      })

      it('is logged as a warning above 20 KiB, with the event’s type and id but nothing of its payload', async ({
        callboard,
        open,
      }) => {
        const entries: LogEntry[] = []
        const logged = open({ log: (entry) => entries.push(entry) })
        await logged.publish(withNote(19 * 1024))
        expect(entries).toEqual([])
        const { id } = await logged.publish(withNote(21 * 1024))
        expect(entries).toEqual([
          {
            level: 'warn',
            message: expect.any(String),
            fields: { type: 'order.paid', id, bytes: expect.any(Number) },
          },
        ])
        expect(JSON.stringify(entries)).not.toMatch(/nnn|Grace/)
        await expect(envelopes(callboard)).resolves.toHaveLength(2)
      })
    })

    describe('subject.sequence', () => {
      it('counts 1, 2, 3 … separately for each account, mode, subject type and id', async ({ callboard }) => {
        await callboard.accounts.create({ id: 'other', name: 'Other' })
        const sequence = async (overrides: object) =>
          (await callboard.publish(orderPaidEvent(overrides))).subject.sequence
        const order = { subject: { type: 'order', id: 'a' } }
        await expect(sequence(order)).resolves.toBe(1)
        await expect(sequence(order)).resolves.toBe(2)
        await expect(sequence({ ...order, accountId: 'other' })).resolves.toBe(1)
        await expect(sequence({ ...order, mode: 'test' })).resolves.toBe(1)
        await expect(sequence({ subject: { type: 'refund', id: 'a' } })).resolves.toBe(1)
        await expect(sequence({ subject: { type: 'order', id: 'A' } })).resolves.toBe(1)
        await expect(sequence(order)).resolves.toBe(3)
      })

      it('can be set by the publisher, which does not change the counter', async ({ callboard }) => {
        await callboard.publish(orderPaidEvent())
        const own = await callboard.publish(orderPaidEvent({ subject: { type: 'order', id: 'ord_1', sequence: 900 } }))
        expect(own.subject.sequence).toBe(900)
        const zero = await callboard.publish(orderPaidEvent({ subject: { type: 'order', id: 'ord_1', sequence: 0 } }))
        expect(zero.subject.sequence).toBe(0)
        const next = await callboard.publish(orderPaidEvent())
        expect(next.subject.sequence).toBe(2)
        expect((await envelopes(callboard)).map(({ subject }) => subject.sequence).sort()).toEqual([0, 1, 2, 900])
      })

      it('has no gaps or repeats when 30 events are published at the same time', async ({ callboard }) => {
        const published = await Promise.all(Array.from({ length: 30 }, () => callboard.publish(orderPaidEvent())))
        const sequences = published.map(({ subject }) => subject.sequence).sort((a, b) => a - b)
        expect(sequences).toEqual(Array.from({ length: 30 }, (_, index) => index + 1))
      })

      it('follows the order of the input in publishMany', async ({ callboard }) => {
        const subjects = ['b', 'a', 'b', 'a', 'b'].map((id) => ({ type: 'order', id }))
        const published = await callboard.publishMany(subjects.map((subject) => orderPaidEvent({ subject })))
        expect(published.map(({ subject }) => `${subject.id}${subject.sequence}`)).toEqual([
          'b1',
          'a1',
          'b2',
          'a2',
          'b3',
        ])
      })
    })

    describe('publishMany', () => {
      it('publishes events of several types, accounts and modes', async ({ callboard }) => {
        await callboard.accounts.create({ id: 'other', name: 'Other' })
        const published = await callboard.publishMany([
          orderPaidEvent(),
          orderPaidEvent({ accountId: 'other', mode: 'test' }),
          {
            accountId: 'acc',
            type: 'attendee.checked_in',
            subject: { type: 'attendee', id: 'a' },
            data: { attendee: { id: 'a' } },
          },
        ])
        expect(published.map(({ type }) => type)).toEqual(['order.paid', 'order.paid', 'attendee.checked_in'])
        expect((await envelopes(callboard)).map(({ id }) => id).sort()).toEqual(
          [published[0]?.id, published[2]?.id].sort(),
        )
        expect((await envelopes(callboard, { accountId: 'other', mode: 'test' })).map(({ id }) => id)).toEqual([
          published[1]?.id,
        ])
      })

      it('publishes nothing for an empty list', async ({ callboard }) => {
        await expect(callboard.publishMany([])).resolves.toEqual([])
      })

      it('stores no event if one is invalid', async ({ callboard }) => {
        const events = [orderPaidEvent(), orderPaidEvent({ correlationId: '' })]
        await expect(callboard.publishMany(events)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' })
        await expect(envelopes(callboard)).resolves.toEqual([])
      })

      it('stores no event if the account of one is unknown, and reports that', async ({ callboard }) => {
        const events = [orderPaidEvent(), orderPaidEvent({ accountId: 'nobody' }), orderPaidEvent()]
        await expect(callboard.publishMany(events)).rejects.toMatchObject({ code: 'ACCOUNT_UNKNOWN' })
        await expect(envelopes(callboard)).resolves.toEqual([])
        const next = await callboard.publish(orderPaidEvent())
        expect(next.subject.sequence).toBe(1)
      })
    })

    it('notifies listeners that something was published', async ({ callboard }) => {
      let heard = 0
      const stop = engineOf(callboard).onPublished(() => heard++)
      await callboard.publish(orderPaidEvent())
      expect(heard).toBe(1)
      stop()
      await callboard.publish(orderPaidEvent())
      expect(heard).toBe(1)
    })

    it('sets the version of events to that of its catalogue (section 9 of the /v1 contract)', async ({
      fixture,
      callboard,
    }) => {
      const later = createCallboard({
        ...facadeOptions(fixture),
        catalog: defineCatalog({ version: '2027-01-01', types: [orderPaid, checkedIn] }),
      })
      await later.publish(orderPaidEvent())
      const { token } = await issueKey(callboard)
      const { data } = await pageOf(callboard, token)
      expect(JSON.parse(data[0] ?? '')).toMatchObject({ version: '2027-01-01' })
    })
  },

  sql(it) {
    describe("the caller's own transaction", () => {
      it('is joined: the event exists after its commit, and not before', async ({ callboard, fixture }) => {
        const { tx, commit } = await fixture.begin()
        const published = await callboard.publish(orderPaidEvent(), { tx })
        // PGlite has one connection, which belongs to the transaction until it ends.
        if ('another' in fixture) await expect(envelopes(callboard)).resolves.toEqual([])
        await commit()
        expect((await envelopes(callboard)).map(({ id }) => id)).toEqual([published.id])
        await expect(callboard.health()).resolves.toMatchObject({ outbox: { events: 1 } })
      })

      it('leaves no event and no gap in the sequence when it is rolled back', async ({ callboard, fixture }) => {
        await callboard.publish(orderPaidEvent())
        const { tx, rollback } = await fixture.begin()
        const lost = await callboard.publishMany([orderPaidEvent({ idempotencyKey: 'k' }), orderPaidEvent()], { tx })
        expect(lost.map(({ subject }) => subject.sequence)).toEqual([2, 3])
        await rollback()
        await expect(envelopes(callboard)).resolves.toHaveLength(1)
        await expect(callboard.health()).resolves.toMatchObject({ outbox: { events: 1 } })
        const next = await callboard.publish(orderPaidEvent({ idempotencyKey: 'k' }))
        expect(next).toMatchObject({ repeated: false, subject: { sequence: 2 } })
      })

      it('stays usable after a repeat, a conflict and a refusal', async ({ callboard, fixture }) => {
        await callboard.publish(orderPaidEvent({ idempotencyKey: 'k' }))
        const { tx, commit } = await fixture.begin()
        const repeat = await callboard.publish(orderPaidEvent({ idempotencyKey: 'k' }), { tx })
        expect(repeat.repeated).toBe(true)
        const other = orderPaidEvent({ idempotencyKey: 'k', correlationId: 'another' })
        await expect(callboard.publish(other, { tx })).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' })
        await expect(callboard.publish(orderPaidEvent({ accountId: 'nobody' }), { tx })).rejects.toMatchObject({
          code: 'ACCOUNT_UNKNOWN',
        })
        const published = await callboard.publish(orderPaidEvent(), { tx })
        await commit()
        expect((await envelopes(callboard)).map(({ id }) => id)).toContain(published.id)
      })
    })
  },
})
