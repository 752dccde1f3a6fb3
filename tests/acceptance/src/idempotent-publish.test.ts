import { createId } from '@callboard/core'
import { describe, expect } from 'vitest'
import { envelopes, orderPaidEvent } from './arrange.ts'
import { describeOnEachStore, RING } from './on-each-store.ts'

const bothKeys = (current: 'k1' | 'k2') => ({ secretKeys: { current, keys: RING } })

describeOnEachStore('idempotent publish', {
  any(it) {
    describe.for([
      ['an id', () => ({ id: createId('evt') })],
      ['an idempotency key', () => ({ idempotencyKey: 'order 1 paid' })],
    ] as const)('by %s', ([, own]) => {
      it('stores nothing twice and returns the first event', async ({ callboard }) => {
        const event = orderPaidEvent(own())
        const first = await callboard.publish(event)
        const again = await callboard.publish(event)
        expect(first.repeated).toBe(false)
        expect(again).toEqual({ ...first, repeated: true })
        await expect(envelopes(callboard)).resolves.toHaveLength(1)
        await expect(callboard.health()).resolves.toMatchObject({ outbox: { events: 1 } })
        expect((await callboard.publish(orderPaidEvent())).subject.sequence).toBe(2)
      })

      it.for([
        ['data', { data: { order: { id: 'ord_1', buyer: { entity_id: 'per_1', name: 'Grace' } } } }],
        ['subject', { subject: { type: 'order', id: 'ord_2' } }],
        ['sequence', { subject: { type: 'order', id: 'ord_1', sequence: 1 } }],
        ['correlation id', { correlationId: 'another' }],
        ['time', { occurredAt: new Date('2026-10-01T00:00:00Z') }],
      ] as const)(
        'refuses an input whose %s differs, and stores nothing of the batch',
        async ([, other], { callboard }) => {
          const event = orderPaidEvent(own())
          await callboard.publish(event)
          const batch = [orderPaidEvent(), { ...event, ...other }, orderPaidEvent()]
          await expect(callboard.publishMany(batch)).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' })
          await expect(envelopes(callboard)).resolves.toHaveLength(1)
          expect((await callboard.publish(orderPaidEvent())).subject.sequence).toBe(2)
        },
      )

      it('refuses an input whose type differs', async ({ callboard }) => {
        const identity = own()
        await callboard.publish(orderPaidEvent(identity))
        const other = {
          ...identity,
          accountId: 'acc',
          type: 'attendee.checked_in' as const,
          subject: { type: 'order', id: 'ord_1' },
          data: { attendee: { id: 'a' } },
        }
        await expect(callboard.publish(other)).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' })
      })

      it('stores an event once if a batch contains it twice', async ({ callboard }) => {
        const event = orderPaidEvent(own())
        const published = await callboard.publishMany([event, orderPaidEvent(), event])
        expect(published.map(({ repeated }) => repeated)).toEqual([false, false, true])
        expect(published[2]?.id).toBe(published[0]?.id)
        expect(published.map(({ subject }) => subject.sequence)).toEqual([1, 2, 1])
        await expect(envelopes(callboard)).resolves.toHaveLength(2)
      })

      it('refuses a batch with two different inputs', async ({ callboard }) => {
        const event = orderPaidEvent(own())
        const batch = [event, { ...event, correlationId: 'another' }]
        await expect(callboard.publishMany(batch)).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' })
        await expect(envelopes(callboard)).resolves.toEqual([])
      })

      it('stores one event when 50 calls publish it at the same time', async ({ callboard }) => {
        const event = orderPaidEvent(own())
        const published = await Promise.all(Array.from({ length: 50 }, () => callboard.publish(event)))
        expect(new Set(published.map(({ id }) => id)).size).toBe(1)
        expect(published.filter(({ repeated }) => !repeated)).toHaveLength(1)
        await expect(envelopes(callboard)).resolves.toHaveLength(1)
        expect((await callboard.publish(orderPaidEvent())).subject.sequence).toBe(2)
      })

      it('distinguishes a repeat from a different input even after the key ring was rotated', async ({
        callboard,
        open,
      }) => {
        const event = orderPaidEvent(own())
        const first = await callboard.publish(event)
        const rotated = open(bothKeys('k2'))
        await expect(rotated.publish(event)).resolves.toEqual({ ...first, repeated: true })
        await expect(rotated.publish({ ...event, correlationId: 'another' })).rejects.toMatchObject({
          code: 'IDEMPOTENCY_CONFLICT',
        })
      })

      it('still finds the first event if the key ring no longer has the key that made its digest', async ({
        callboard,
        open,
      }) => {
        const event = orderPaidEvent(own())
        const first = await callboard.publish(event)
        const later = open({ secretKeys: { current: 'k2', keys: { k2: RING.k2 } } })
        await expect(later.publish(event)).resolves.toEqual({ ...first, repeated: true })
      })

      it('stores one event in each account and mode', async ({ callboard }) => {
        await callboard.accounts.create({ id: 'other', name: 'Other' })
        const event = orderPaidEvent(own())
        for (const place of [{}, { accountId: 'other' }, { mode: 'test' as const }])
          await expect(callboard.publish({ ...event, ...place })).resolves.toMatchObject({ repeated: false })
      })

      it('treats an input that names the default mode and one without a mode as equal', async ({ callboard }) => {
        const event = orderPaidEvent(own())
        await callboard.publish(event)
        await expect(callboard.publish({ ...event, mode: 'live' })).resolves.toMatchObject({ repeated: true })
      })
    })

    it('publishes the event with the id that the publisher chose', async ({ callboard }) => {
      const id = createId('evt')
      await expect(callboard.publish(orderPaidEvent({ id }))).resolves.toMatchObject({ id })
      expect((await envelopes(callboard))[0]?.id).toBe(id)
    })

    it('stores one event per key when concurrent batches have the same keys in opposite order', async ({
      callboard,
    }) => {
      const events = ['a', 'b', 'c', 'd'].map((key) =>
        orderPaidEvent({ idempotencyKey: key, subject: { type: 'order', id: key } }),
      )
      const reversed = events.toReversed()
      await Promise.all(
        Array.from({ length: 10 }, (_, index) => callboard.publishMany(index % 2 === 0 ? events : reversed)),
      )
      await expect(envelopes(callboard)).resolves.toHaveLength(4)
    })
  },
})
