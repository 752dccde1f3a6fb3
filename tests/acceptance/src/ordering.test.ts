import type { Envelope } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { describe, expect } from 'vitest'
import { orderPaidEvent, thrownBy } from './arrange.ts'
import { describeDeliveries, idsOf } from './delivery-it.ts'

describeDeliveries('ordering by subject', {
  any(it) {
    describe('the order of a subject', () => {
      it('is kept while one event fails: later events of the subject wait, and other subjects’ events arrive', async ({
        world,
      }) => {
        const path = world.path()
        const ref = await world.subscribe(path)
        await world.callboard.subscriptions.setOrdering({ ...ref, ordering: 'subject' })
        const late = await world.publish(3)
        const [other] = await world.publish(1, { subject: { type: 'order', id: 'ord_2' } })
        const failed = new Set<string>()
        world.receiver.answer(path, ({ headers }) => {
          const id = String(headers['webhook-id'])
          if (id !== late[0] || failed.has(id)) return { status: 200 }
          failed.add(id)
          return { status: 500 }
        })
        await world.work({ retrySchedule: [60_000] })
        await world.recorded(ref, 2)
        expect(idsOf(world.receiver.at(path)).sort()).toEqual([late[0], other].sort())
        await world.fixture.advance(120_000)
        await world.recorded(ref, 5)
        expect(idsOf(world.receiver.at(path)).slice(2)).toEqual(late)
      })

      it('is kept with two workers and five subjects, even if some deliveries fail', async ({ world }) => {
        const path = world.path()
        const ref = await world.subscribe(path)
        await world.callboard.subscriptions.setOrdering({ ...ref, ordering: 'subject' })
        const subjects = [0, 1, 2, 3, 4].map((index) => `ord_${index}`)
        // The events of one subject never fail, so that the breaker stays closed.
        let state = 7
        const fails = (): boolean => {
          state = (state * 48_271) % 2_147_483_647
          return state % 3 === 0
        }
        const tried = new Map<string, boolean>()
        world.receiver.answer(path, ({ body }) => {
          const { id, subject }: Envelope = JSON.parse(body.toString())
          const failing = subject.id !== 'ord_0' && !tried.has(id) && fails()
          tried.set(id, failing)
          return { status: failing ? 500 : 200 }
        })
        const published = new Map<string, string[]>(subjects.map((id) => [id, []]))
        for (let round = 0; round < 20; round++) {
          const events = subjects.map((id) => orderPaidEvent({ subject: { type: 'order', id } }))
          const stored = await world.callboard.publishMany(events)
          for (const [index, { id }] of stored.entries()) published.get(subjects[index]!)!.push(id)
        }
        await world.work({ retrySchedule: [1, 1, 1] })
        await world.work({ retrySchedule: [1, 1, 1] })
        for (let count = 100; new Set(idsOf(world.receiver.at(path))).size < 100; count++)
          await world.receiver.received(path, count)
        const order = world.receiver.at(path).map(({ body }): Envelope => JSON.parse(body.toString()))
        for (const [subject, ids] of published) {
          const arrived = order.filter((event) => event.subject.id === subject).map(({ id }) => id)
          expect(arrived.filter((id, index) => id !== arrived[index - 1])).toEqual(ids)
        }
        expect(order.length).toBeGreaterThan(100)
      })

      it('can be requested only for a subscription that exists', async ({ world }) => {
        const ref = await world.subscribe(world.path())
        await engineOf(world.callboard).apiSubscriptions.remove(world.caller, ref.id)
        expect(
          await thrownBy(world.callboard.subscriptions.setOrdering({ ...ref, ordering: 'subject' })),
        ).toMatchObject({
          code: 'NOT_FOUND',
        })
      })

      it('can be requested only with one of the two valid values of ordering', async ({ world }) => {
        const ref = await world.subscribe(world.path())
        const { setOrdering } = world.callboard.subscriptions
        // @ts-expect-error JavaScript may pass anything.
        expect(await thrownBy(setOrdering({ ...ref, ordering: 'account' }))).toMatchObject({
          code: 'VALIDATION_FAILED',
          issues: [{ path: 'ordering' }],
        })
      })
    })
  },
})
