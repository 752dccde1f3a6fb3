import type { ExhaustedDelivery } from '@callboard/core'
import { verify } from '@callboard/signature'
import { describe, expect } from 'vitest'
import { thrownBy } from './arrange.ts'
import { describeDeliveries } from './delivery-it.ts'

describeDeliveries('operating deliveries', {
  any(it) {
    describe('lists', () => {
      it('page through deliveries and attempts with cursors bound to their list and filter', async ({ world }) => {
        const { callboard } = world
        const [path, other] = [world.path(), world.path()]
        const ref = await world.subscribe(path)
        const sibling = await world.subscribe(other)
        const ids = await world.publish(5)
        await world.work()
        await world.recorded(ref, 5)
        await world.recorded(sibling, 5)
        const first = await callboard.deliveries.list({ accountId: ref.accountId, subscriptionId: ref.id, limit: 2 })
        const cursor = first.nextCursor!
        const rest = await callboard.deliveries.list({
          accountId: ref.accountId,
          subscriptionId: ref.id,
          limit: 3,
          cursor,
        })
        expect(rest.nextCursor).toBeNull()
        const listed = [...first.deliveries, ...rest.deliveries]
        expect(listed.map(({ eventId }) => eventId).sort()).toEqual([...ids].sort())
        expect(listed.every(({ state, lastAttempt }) => state === 'delivered' && lastAttempt?.status === 200)).toBe(
          true,
        )
        const attempts = await callboard.deliveries.attempts({ ...ref, subscriptionId: ref.id, limit: 3 })
        const older = await callboard.deliveries.attempts({
          ...ref,
          subscriptionId: ref.id,
          limit: 3,
          cursor: attempts.nextCursor!,
        })
        expect([...attempts.attempts, ...older.attempts]).toHaveLength(5)
        expect(older.nextCursor).toBeNull()

        const event = { accountId: 'acc', id: ids[0]! }
        const { deliveries, nextCursor } = await callboard.deliveries.ofEvent({ ...event, eventId: event.id, limit: 1 })
        const second = await callboard.deliveries.ofEvent({
          ...event,
          eventId: event.id,
          limit: 1,
          cursor: nextCursor!,
        })
        const subscribed = [...deliveries, ...second.deliveries].map(({ subscriptionId }) => subscriptionId)
        expect(subscribed.sort()).toEqual([ref.id, sibling.id].sort())
        expect((await callboard.deliveries.attemptsOfEvent({ ...event, eventId: event.id })).attempts).toHaveLength(2)
        expect(deliveries).toContainEqual(
          await callboard.deliveries.find({ ...ref, subscriptionId: deliveries[0]!.subscriptionId, eventId: ids[0]! }),
        )

        for (const call of [
          () => callboard.deliveries.list({ accountId: sibling.accountId, subscriptionId: sibling.id, cursor }),
          () => callboard.deliveries.list({ accountId: ref.accountId, subscriptionId: ref.id, mode: 'test', cursor }),
          () =>
            callboard.deliveries.list({ accountId: ref.accountId, subscriptionId: ref.id, cursor, state: 'delivered' }),
          () => callboard.deliveries.attempts({ ...ref, subscriptionId: ref.id, cursor }),
          () => callboard.deliveries.ofEvent({ ...event, eventId: event.id, cursor }),
          () => callboard.deliveries.attemptsOfEvent({ ...event, eventId: event.id, cursor: attempts.nextCursor! }),
          () => callboard.deliveries.list({ accountId: ref.accountId, subscriptionId: ref.id, cursor: 'nonsense' }),
        ])
          expect(await thrownBy(call())).toMatchObject({ code: 'VALIDATION_FAILED', issues: [{ path: 'cursor' }] })
        expect(
          await thrownBy(callboard.deliveries.list({ accountId: ref.accountId, subscriptionId: ref.id, limit: 0 })),
        ).toMatchObject({
          issues: [{ path: 'limit' }],
        })
      })
    })

    describe('manual operation', () => {
      it('reports an exhausted delivery to the platform, without personal data, and resends it', async ({ world }) => {
        const path = world.path()
        const ref = await world.subscribe(path)
        const exhausted: ExhaustedDelivery[] = []
        const callboard = world.open({ onDeliveryExhausted: (delivery) => exhausted.push(delivery) })
        world.receiver.answer(path, { status: 500, body: 'ada@example.com' }, { status: 204 })
        await world.work({ retrySchedule: [] }, callboard)
        const [id] = await world.publish()
        await world.recorded(ref, 1)
        const { accountId, mode } = ref
        expect(exhausted).toEqual([
          { accountId, mode, subscriptionId: ref.id, eventId: id, attempts: 1, status: 500, reason: undefined },
        ])
        const from = new Date(0)
        expect(await callboard.deliveries.resendRange({ ...ref, subscriptionId: ref.id, from })).toMatchObject({
          resent: 1,
          nextCursor: null,
        })
        expect(await callboard.deliveries.resendRange({ ...ref, subscriptionId: ref.id, from })).toMatchObject({
          resent: 0,
          nextCursor: null,
        })
        await world.recorded(ref, 2)
        expect(
          (await callboard.deliveries.list({ accountId: ref.accountId, subscriptionId: ref.id })).deliveries,
        ).toMatchObject([{ eventId: id, state: 'delivered' }])
        expect(await callboard.deliveries.resend({ ...ref, subscriptionId: ref.id, eventId: id! })).toBe('scheduled')
        await world.recorded(ref, 3)
        expect(exhausted).toHaveLength(1)
      })

      it('reports a subscription once when it keeps failing, and once when it has recovered', async ({ world }) => {
        const told: [string, unknown][] = []
        const callboard = world.open({
          onSubscriptionFailing: (subscription) => told.push(['failing', subscription]),
          onSubscriptionRecovered: (subscription) => told.push(['recovered', subscription]),
        })
        const path = world.path()
        const { accountId, mode, id } = await world.subscribe(path)
        const ref = { accountId, mode, id }
        world.receiver.answer(path, { status: 500 })
        await world.work({ retrySchedule: Array.from({ length: 14 }, () => 1) }, callboard)
        await world.publish()
        await expect
          .poll(() => told, { timeout: 20_000 })
          .toEqual([['failing', { ...ref, since: expect.any(Date), attempts: 10 }]])
        world.receiver.answer(path, { status: 200 })
        await callboard.deliveries.resendRange({ ...ref, subscriptionId: ref.id, from: new Date(0) })
        await expect
          .poll(() => told, { timeout: 20_000 })
          .toEqual([
            ['failing', expect.anything()],
            ['recovered', ref],
          ])
      })

      it('throws a typed error if a delivery cannot be resent or skipped', async ({ world }) => {
        const { deliveries, subscriptions } = world.callboard
        const ref = await world.subscribe(world.path())
        const [id] = await world.publish()
        expect(await deliveries.resend({ ...ref, subscriptionId: ref.id, eventId: id! })).toBe('pending')
        await subscriptions.skipToNow(ref)
        expect(
          await thrownBy(
            deliveries.resend({ ...ref, subscriptionId: ref.id, eventId: 'evt_01jb2c3d4e5f6g7h8j9k0mnpqr' }),
          ),
        ).toMatchObject({
          code: 'NOT_FOUND',
        })
        await subscriptions.disable({ ...ref, by: 'platform' })
        for (const call of [
          () => deliveries.resend({ ...ref, subscriptionId: ref.id, eventId: id! }),
          () => deliveries.resendRange({ ...ref, subscriptionId: ref.id, from: new Date(0) }),
          () => subscriptions.skipToNow(ref),
        ])
          expect(await thrownBy(call())).toMatchObject({ code: 'SUBSCRIPTION_DISABLED' })
        await subscriptions.remove({ ...ref, by: 'platform' })
        expect(await thrownBy(subscriptions.skipToNow(ref))).toMatchObject({ code: 'NOT_FOUND' })
      })

      it('signs with both secrets during a rotation, and then only with the new one', async ({ world }) => {
        const path = world.path()
        const ref = await world.subscribe(path)
        const secret = await world.callboard.subscriptions.rotateSecret({
          ...ref,
          by: 'platform',
          overlapMs: 3_600_000,
        })
        await world.work()
        await world.publish()
        await world.recorded(ref, 1)
        await world.fixture.advance(3_600_000)
        await world.publish()
        await world.recorded(ref, 2)
        const received = world.receiver.at(path)
        const valid = await Promise.all(
          received.map(({ headers, body }) =>
            Promise.all(
              [ref.secret, secret].map((each) =>
                verify({ headers, body, secret: each, tolerance: 2 * 3_600 }).then(
                  () => true,
                  () => false,
                ),
              ),
            ),
          ),
        )
        expect(valid).toEqual([
          [true, true],
          [false, true],
        ])
      })
    })
  },
  postgres(it) {
    it('refuses to resend a delivery whose event was removed by retention', async ({ world }) => {
      const ref = await world.subscribe(world.path())
      const [id] = await world.publish()
      await world.work()
      await world.recorded(ref, 1)
      await world.fixture.query('delete from callboard.events')
      expect(
        await thrownBy(world.callboard.deliveries.resend({ ...ref, subscriptionId: ref.id, eventId: id! })),
      ).toMatchObject({ code: 'EVENT_EXPIRED' })
    })
  },
})
