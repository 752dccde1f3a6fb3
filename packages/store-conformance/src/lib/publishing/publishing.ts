import { createId } from '@callboard/core'
import { describe, expect } from 'vitest'
import { addAccount, publish } from '../arranging/arrange.ts'
import { draft, draftsOfOneSubject, newAccount } from '../arranging/inputs.ts'
import type { StoreIt } from '../arranging/store-it.ts'

export function describePublishing(it: StoreIt): void {
  describe('publishing', () => {
    it('stores the envelope with the account’s name and the sequence filled in', async ({ store }) => {
      const account = await addAccount(store)
      const event = draft(account)
      const [outcome] = await store.events.publishDrafts([event])
      const { id, type, occurredAt, subject } = event
      expect(outcome).toEqual({
        outcome: 'stored',
        event: { id, type, occurredAt, subject: { ...subject, sequence: 1 } },
      })
      const body = `${event.head}${JSON.stringify(account.name)}${event.middle}1${event.tail}`
      expect(await store.events.find(account.id, 'live', id)).toEqual({
        id,
        type,
        body,
        patch: event.patch,
        fingerprint: 'f1',
      })
    })

    it('numbers the events of a subject from 1 without gaps, in the order of publishing', async ({ store }) => {
      const account = await addAccount(store)
      const drafts = draftsOfOneSubject(account, 4)
      const sequences = (events: readonly { readonly subject: { readonly sequence: number } }[]) =>
        events.map(({ subject }) => subject.sequence)
      expect(sequences(await publish(store, ...drafts.slice(0, 3)))).toEqual([1, 2, 3])
      expect(sequences(await publish(store, ...drafts.slice(3)))).toEqual([4])
    })

    it('numbers each subject separately in each account and mode', async ({ store }) => {
      const account = await addAccount(store)
      const subject = { type: 'order', id: 'o-1' }
      const events = await publish(
        store,
        draft(account, { subject }),
        draft(account, { subject: { type: 'order', id: 'o-2' } }),
        draft(account, { subject: { type: 'attendee', id: 'o-1' } }),
        draft(account, { subject, mode: 'test' }),
        draft(await addAccount(store), { subject }),
      )
      expect(events.map((event) => event.subject.sequence)).toEqual([1, 1, 1, 1, 1])
    })

    it('accepts a sequence from the publisher', async ({ store }) => {
      const account = await addAccount(store)
      const event = draft(account, { sequence: 42 })
      expect((await publish(store, event))[0]?.subject.sequence).toBe(42)
      expect((await store.events.find(account.id, 'live', event.id))?.body).toContain('"sequence":42,')
    })

    it.for(['id', 'idempotency key'] as const)(
      'does not store, queue or number an event twice with the same %s',
      async (repeated, { store }) => {
        const account = await addAccount(store)
        const marks = repeated === 'id' ? { id: createId('evt'), ownId: true } : { idempotencyKey: 'order-1-paid' }
        const subject = { type: 'order', id: 'o-1' }
        const [first] = await publish(store, draft(account, { ...marks, subject, digests: ['k1.same'] }))
        const again = draft(account, {
          ...marks,
          subject,
          occurredAt: new Date(0),
          digests: ['k1.same'],
          tail: ',"data":{"again":true}}',
        })
        expect(await store.events.publishDrafts([again])).toEqual([{ outcome: 'known', event: first }])
        expect((await store.events.find(account.id, 'live', first!.id))?.body).not.toContain('again')
        expect((await store.deliveries.sequence(10)).sequenced).toBe(1)
        expect((await publish(store, draft(account, { subject })))[0]?.subject.sequence).toBe(2)
      },
    )

    it('returns one outcome per draft, in order, even for a draft whose id and key belong to different events', async ({
      store,
    }) => {
      const account = await addAccount(store)
      const [first, other, fresh] = [
        draft(account, { ownId: true, idempotencyKey: 'first', digests: ['k1.a'] }),
        draft(account, { ownId: true, idempotencyKey: 'other', digests: ['k1.a'] }),
        draft(account),
      ]
      await publish(store, first, other)
      const crossed = { ...first, idempotencyKey: 'other' }
      expect(await store.events.publishDrafts([first, crossed, fresh])).toMatchObject([
        { outcome: 'known', event: { id: first.id } },
        { outcome: 'known', event: { id: first.id } },
        { outcome: 'stored', event: { id: fresh.id } },
      ])
    })

    it('reports a conflict when the id or the idempotency key belongs to a different input', async ({ store }) => {
      const account = await addAccount(store)
      const [first, other] = [
        draft(account, { ownId: true, idempotencyKey: 'first', digests: ['k1.a'] }),
        draft(account, { ownId: true, idempotencyKey: 'other', digests: ['k1.b'] }),
      ]
      await publish(store, first, other)
      expect(await store.events.publishDrafts([{ ...first, idempotencyKey: 'other' }])).toMatchObject([
        { outcome: 'conflict' },
      ])
      expect(await store.events.publishDrafts([{ ...other, idempotencyKey: 'first' }])).toMatchObject([
        { outcome: 'conflict' },
      ])
    })

    it('treats the same id and idempotency key in another account or mode as a different event', async ({ store }) => {
      const account = await addAccount(store)
      const other = await addAccount(store)
      for (const marks of [{ id: createId('evt'), ownId: true }, { idempotencyKey: 'key' }]) {
        const drafts = [draft(account, marks), draft(account, { ...marks, mode: 'test' }), draft(other, marks)]
        for (const each of drafts) expect((await store.events.publishDrafts([each]))[0]?.outcome).toBe('stored')
      }
    })

    it.for(['id', 'idempotency key'] as const)(
      'refuses the whole call if one of its drafts has a known %s but a different input',
      async (repeated, { store }) => {
        const account = await addAccount(store)
        const marks = repeated === 'id' ? { id: createId('evt'), ownId: true } : { idempotencyKey: 'order-1-paid' }
        const known = draft(account, { idempotencyKey: 'known', digests: ['k1.known'] })
        const events = await publish(store, draft(account, { ...marks, digests: ['k1.one'] }), known)
        const fresh = draft(account, { subject: { type: 'order', id: 'fresh' } })
        expect(
          await store.events.publishDrafts([
            fresh,
            draft(account, { ...marks, digests: ['k1.other'] }),
            { ...known, id: createId('evt') },
          ]),
        ).toEqual([
          { outcome: 'not_stored' },
          { outcome: 'conflict', event: events[0] },
          { outcome: 'known', event: events[1] },
        ])
        expect(await store.events.find(account.id, 'live', fresh.id)).toBeUndefined()
        expect((await store.deliveries.sequence(10)).sequenced).toBe(2)
        expect((await publish(store, fresh))[0]?.subject.sequence).toBe(1)
      },
    )

    it('compares inputs after the digest key has changed, as long as the key ring has the old key', async ({
      store,
    }) => {
      const account = await addAccount(store)
      const outcome = async (...digests: string[]) =>
        (await store.events.publishDrafts([draft(account, { idempotencyKey: 'key', digests })]))[0]?.outcome
      expect(await outcome('k1.a')).toBe('stored')
      expect(await outcome('k2.a', 'k1.a')).toBe('known')
      expect(await outcome('k2.b', 'k1.b')).toBe('conflict')
      expect(await outcome('k3.b', 'k2.b')).toBe('known')
    })

    it('stores nothing from a call that names an unknown account', async ({ store }) => {
      const account = await addAccount(store)
      const event = draft(account)
      expect(await store.events.publishDrafts([draft(newAccount()), event])).toEqual([
        { outcome: 'account_unknown' },
        { outcome: 'not_stored' },
      ])
      expect(await store.events.find(account.id, 'live', event.id)).toBeUndefined()
      expect((await store.deliveries.sequence(10)).sequenced).toBe(0)
    })
  })
}
