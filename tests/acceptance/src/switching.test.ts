import { expect } from 'vitest'
import { actOn } from './act-on.ts'
import { type DeliveryIt, describeDeliveries, gate, idsOf } from './delivery-it.ts'
import type { StoreFixture } from './stores.ts'

function suite(it: DeliveryIt<StoreFixture>): void {
  it.for(['by hand', 'by creating it again'] as const)(
    'if a subscription is disabled and enabled %s during a request, that request is recorded before the next is sent',
    async (how, { world }) => {
      const { fixture, receiver } = world
      const { subscriptions, deliveries } = world.callboard
      const path = world.path()
      const ref = await world.subscribe(path)
      await subscriptions.setOrdering({ ...ref, ordering: 'subject' })
      const answered = gate()
      receiver.answer(path, { status: 200, body: 'first', after: answered.opened }, { status: 200, body: 'second' })
      const [first] = await world.publish()
      await world.work()
      await receiver.received(path)

      if (how === 'by hand') {
        await subscriptions.disable({ ...ref, by: 'platform' })
        await subscriptions.enable({ ...ref, by: 'platform' })
      } else {
        await actOn(fixture.store, ref, { act: 'disable', reason: 'gone', replaces: [] })
        expect(await world.subscribe(path)).toMatchObject({ id: ref.id, state: 'active' })
      }
      const [second] = await world.publish()
      await world.tap.polls()
      expect(idsOf(receiver.at(path))).toEqual([first])

      answered.open()
      await world.recorded(ref, 2)
      expect(idsOf(receiver.at(path))).toEqual([first, second])
      expect(receiver.mostAtOnce(path)).toBe(1)
      expect(await world.attempts(ref)).toMatchObject([
        { eventId: first, number: 1, outcome: 'delivered', status: 200, response: 'first' },
        { eventId: second, number: 1, outcome: 'delivered', status: 200, response: 'second' },
      ])
      const { deliveries: listed } = await deliveries.list({ accountId: ref.accountId, subscriptionId: ref.id })
      expect(listed.map(({ eventId, state, attempts }) => ({ eventId, state, attempts }))).toEqual([
        { eventId: second, state: 'delivered', attempts: 1 },
        { eventId: first, state: 'delivered', attempts: 1 },
      ])
      expect(world.errors).toEqual([])
    },
  )
}

describeDeliveries('switching a subscription off and on', { any: suite, pglite: suite })
