import { describe, expect } from 'vitest'
import { thrownBy } from './arrange.ts'
import { describeDeliveries } from './delivery-it.ts'

describeDeliveries('the health of subscriptions', {
  any(it) {
    describe('the overview', () => {
      it('shows which subscriptions are failing and since when, with hourly counts', async ({ world }) => {
        const { callboard } = world
        const [good, bad] = [world.path(), world.path()]
        const healthy = await world.subscribe(good)
        const failing = await world.subscribe(bad)
        world.receiver.answer(bad, { status: 500 })
        const ids = await world.publish(2)
        await world.work({ retrySchedule: [600_000] })
        await world.recorded(healthy, 2)
        await world.recorded(failing, 2)
        const { subscriptions, counts, nextCursor } = await callboard.subscriptions.overview({
          accountId: 'acc',
          state: 'failing',
        })
        expect(counts).toEqual({ all: 2, failing: 1, disabled: 0 })
        expect(nextCursor).toBeNull()
        expect(subscriptions.map(({ id }) => id)).toEqual([failing.id])
        const { health } = subscriptions[0]!
        expect(health).toMatchObject({
          failing: { since: expect.any(Date), attempts: 2 },
          retrying: 2,
          lastAttempt: { outcome: 'failed', status: 500, eventId: expect.toBeOneOf(ids) },
        })
        expect(health.hours.reduce((sum, { failed }) => sum + failed, 0)).toBe(2)
        const other = await callboard.subscriptions.health(healthy)
        expect(other?.health).toMatchObject({ failing: undefined, lastAttempt: { outcome: 'delivered', status: 200 } })
        expect(other?.health.hours.reduce((sum, { delivered }) => sum + delivered, 0)).toBe(2)
        const { health: _health, ...record } = other!
        expect(record).toEqual(await callboard.subscriptions.find(healthy))
      })

      it('has pages with cursors bound to its filters, and refuses invalid input', async ({ world }) => {
        const { callboard } = world
        const made = [await world.subscribe(world.path()), await world.subscribe(world.path())]
        const { overview } = callboard.subscriptions
        const first = await overview({ accountId: 'acc', limit: 1 })
        const cursor = first.nextCursor!
        const second = await overview({ accountId: 'acc', limit: 1, cursor })
        expect(second.nextCursor).toBeNull()
        const ids = [...first.subscriptions, ...second.subscriptions].map(({ id }) => id)
        expect(ids).toEqual(
          made
            .map(({ id }) => id)
            .sort()
            .reverse(),
        )
        for (const call of [
          overview({ accountId: 'acc', mode: 'test', cursor }),
          overview({ accountId: 'other', cursor }),
          overview({ accountId: 'acc', cursor, state: 'active' }),
          overview({ accountId: 'acc', cursor, search: 'a' }),
        ])
          expect(await thrownBy(call)).toMatchObject({ code: 'VALIDATION_FAILED', issues: [{ path: 'cursor' }] })
        for (const search of ['', 'x'.repeat(201), 'a\0b'])
          expect(await thrownBy(overview({ accountId: 'acc', search }))).toMatchObject({
            issues: [{ path: 'search' }],
          })
        expect(await thrownBy(overview({ accountId: 'acc', limit: 101 }))).toMatchObject({
          issues: [{ path: 'limit' }],
        })
        // @ts-expect-error a query string may contain any state
        const unknown = overview({ accountId: 'acc', state: 'gone' })
        expect(await thrownBy(unknown)).toMatchObject({ issues: [{ path: 'state' }] })
      })
    })
  },
})
