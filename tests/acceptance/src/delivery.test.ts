import { createRouter } from '@callboard/router'
import { verify } from '@callboard/signature'
import type { Received } from '@callboard/testbed'
import { describe, expect } from 'vitest'
import { newCaller, orderPaidEvent } from './arrange.ts'
import { describeDeliveries, gate, idsOf } from './delivery-it.ts'

const bodyOf = (received: Received | undefined) => JSON.parse(String(received?.body))
const buyer = (received: Received | undefined): unknown => bodyOf(received).data.order.buyer
const REDACTED = { entity_id: 'per_1' }
const FULL = { ...REDACTED, name: 'Ada', email: 'ada@example.com' }

/** A worker that last checked a subscription this many milliseconds ago checks it again before it sends. */
const STALE_MS = 850

describeDeliveries('a delivery', {
  any(it) {
    describe('the request', () => {
      it('is one signed POST whose body equals the event in GET /v1/events for the same key, byte for byte', async ({
        world,
      }) => {
        const path = world.path()
        const { secret } = await world.subscribe(path)
        const [id] = await world.publish()
        const worker = await world.work()
        const [received] = await world.receiver.received(path)
        await worker.stop()

        expect(received).toMatchObject({
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: '*/*',
            'user-agent': expect.stringMatching(/^Callboard\/\d+\.\d+\.\d+/),
            'webhook-id': id,
            'content-length': String(received?.body.byteLength),
          },
        })
        await expect(verify({ ...received!, secret })).resolves.toMatchObject({ id })
        const { fetch } = createRouter(world.callboard)
        const headers = { authorization: `Bearer ${world.key.token}` }
        const page = await (await fetch(new Request('https://platform.example/v1/events', { headers }))).text()
        expect(page).toContain(String(received?.body))
        expect(world.receiver.at(path)).toHaveLength(1)
        expect(world.errors).toEqual([])
      })

      it('is signed with both secrets during a rotation, and then only with the new one', async ({ world }) => {
        const path = world.path()
        const { secret: former, ...ref } = await world.subscribe(path)
        const secret = await world.callboard.subscriptions.rotateSecret({ ...ref, by: 'platform', overlapMs: 60_000 })
        await world.work()
        await world.publish()
        const [during] = await world.receiver.received(path)
        for (const each of [former, secret]) await expect(verify({ ...during!, secret: each })).resolves.toBeDefined()
        await world.fixture.advance(60_000)
        await world.publish()
        const [, after] = await world.receiver.received(path, 2)
        await expect(verify({ ...after!, secret })).resolves.toBeDefined()
        await expect(verify({ ...after!, secret: former })).rejects.toThrow()
      })

      it('has personal data only if the key that created the subscription may read personal data', async ({
        world,
      }) => {
        const [full, redacted] = [world.path('full'), world.path('redacted')]
        await world.subscribe(full)
        await world.subscribe(redacted, await newCaller(world.callboard))
        await world.publish()
        await world.work()
        expect(buyer((await world.receiver.received(full))[0])).toEqual(FULL)
        expect(buyer((await world.receiver.received(redacted))[0])).toEqual(REDACTED)
      })

      it('loses personal data between attempts if the subscription gets a key without access to such data', async ({
        world,
      }) => {
        const path = world.path()
        const { secret, ...ref } = await world.subscribe(path)
        world.receiver.answer(path, { status: 500 }, {})
        await world.publish()
        await world.work({ retrySchedule: [60_000] })
        await world.recorded(ref, 1)
        await world.subscribe(path, await newCaller(world.callboard))
        await world.fixture.advance(72_000)
        const [first, second] = await world.receiver.received(path, 2)
        expect([buyer(first), buyer(second)]).toEqual([FULL, REDACTED])
        expect(idsOf([first!])).toEqual(idsOf([second!]))
        await expect(verify({ ...second!, secret })).resolves.toBeDefined()
      })

      it('has no personal data once an attempt was sent without any, even if the subscription gets a key with access', async ({
        world,
      }) => {
        const path = world.path()
        const ref = await world.subscribe(path, await newCaller(world.callboard))
        world.receiver.answer(path, { status: 500 }, {})
        await world.publish()
        await world.work({ retrySchedule: [60_000] })
        await world.recorded(ref, 1)
        await world.subscribe(path)
        await world.fixture.advance(72_000)
        const [first, second] = await world.receiver.received(path, 2)
        expect([buyer(first), buyer(second)]).toEqual([REDACTED, REDACTED])
        await world.publish()
        expect(buyer((await world.receiver.received(path, 3))[2])).toEqual(FULL)
      })
    })

    describe('the events of a subscription', () => {
      it('are those published after the subscription was created, whether a worker runs or not', async ({ world }) => {
        const path = world.path()
        await world.publish(2)
        await world.subscribe(path)
        const fresh = await world.publish(2)
        const worker = await world.work()
        await world.receiver.received(path, 2)
        await world.tap.polls()
        await worker.stop()
        expect(idsOf(world.receiver.at(path)).sort()).toEqual([...fresh].sort())
      })

      it('have the subscription’s own types, account and mode', async ({ world }) => {
        const path = world.path()
        await world.subscribe(path)
        await world.callboard.accounts.create({ id: 'other', name: 'Other' })
        await world.publish(1, { accountId: 'other' })
        await world.publish(1, { mode: 'test' })
        const attendee = { id: 'att_1', name: 'Bob' }
        await world.callboard.publish({ ...orderPaidEvent(), type: 'attendee.checked_in', data: { attendee } })
        const own = await world.publish()
        const worker = await world.work()
        await world.receiver.received(path)
        await world.tap.polls()
        await worker.stop()
        expect(idsOf(world.receiver.at(path))).toEqual(own)
      })

      it('start with the next event when a target that answered 410 is subscribed again', async ({ world }) => {
        const path = world.path()
        const made = await world.subscribe(path)
        world.receiver.answer(path, { status: 410 }, {})
        await world.work()
        const [gone] = await world.publish()
        await world.recorded(made, 1)
        await world.publish(2)
        await world.tap.polls()
        expect(await world.subscribe(path)).toMatchObject({ id: made.id, created: false, state: 'active' })
        const [fresh] = await world.publish()
        await world.receiver.received(path, 2)
        await world.tap.polls()
        expect(idsOf(world.receiver.at(path))).toEqual([gone, fresh])
      })
    })

    describe('failed attempts', () => {
      it('are retried at the times of the schedule, and not before', async ({ world }) => {
        const path = world.path()
        const ref = await world.subscribe(path)
        world.receiver.answer(path, { status: 500, body: 'oh no' }, { status: 404 }, { status: 204 })
        await world.publish()
        await world.work({ retrySchedule: [60_000, 3_600_000] })
        for (const [count, schedule] of [60_000, 3_600_000].entries()) {
          await world.recorded(ref, count + 1)
          await world.fixture.advance(schedule * 0.8 - 10_000)
          await world.tap.polls()
          expect(world.receiver.at(path)).toHaveLength(count + 1)
          await world.fixture.advance(schedule * 0.4 + 10_000)
        }
        await world.recorded(ref, 3)
        expect(await world.attempts(ref)).toMatchObject([
          { number: 1, outcome: 'failed', status: 500, response: 'oh no' },
          { number: 2, outcome: 'failed', status: 404 },
          { number: 3, outcome: 'delivered', status: 204 },
        ])
        expect(new Set(idsOf(world.receiver.at(path))).size).toBe(1)
        expect(new Set(world.receiver.at(path).map(({ body }) => String(body))).size).toBe(1)
      })

      it('are retried after Retry-After on 429, 502, 503 and 504: at least the schedule’s delay, at most 24 h', async ({
        world,
      }) => {
        const HOUR = 3_600_000
        const asked = [
          { status: 429, 'retry-after': '7200', wait: [2 * HOUR, 2 * HOUR] },
          { status: 502, 'retry-after': '7200', wait: [2 * HOUR, 2 * HOUR] },
          { status: 504, 'retry-after': '7200', wait: [2 * HOUR, 2 * HOUR] },
          { status: 503, 'retry-after': '999999', wait: [24 * HOUR, 24 * HOUR] },
          { status: 503, 'retry-after': '1', wait: [0.8 * HOUR, 1.2 * HOUR] },
          { status: 429, 'retry-after': 'soon', wait: [0.8 * HOUR, 1.2 * HOUR] },
          { status: 500, 'retry-after': '7200', wait: [0.8 * HOUR, 1.2 * HOUR] },
          { status: 404, 'retry-after': '7200', wait: [0.8 * HOUR, 1.2 * HOUR] },
        ] as const
        const waits = new Map<string, number | undefined>()
        world.tap.before('settle', (settlements) => {
          for (const { lease, retries } of settlements) waits.set(lease.id, retries[0]?.delayMs)
        })
        const ids: string[] = []
        for (const { status, 'retry-after': value } of asked) {
          const path = world.path()
          world.receiver.answer(path, { status, headers: { 'retry-after': value } })
          ids.push((await world.subscribe(path)).id)
        }
        await world.publish()
        const settled = world.tap.next('settle', () => waits.size === asked.length)
        await world.work({ retrySchedule: [HOUR] })
        await settled
        for (const [index, { wait, ...question }] of asked.entries()) {
          expect(waits.get(ids[index]!), JSON.stringify(question)).toBeGreaterThanOrEqual(wait[0])
          expect(waits.get(ids[index]!), JSON.stringify(question)).toBeLessThanOrEqual(wait[1])
        }
      })

      it('are not retried after the schedule: the delivery is exhausted, and all attempts are logged', async ({
        world,
      }) => {
        const path = world.path()
        const ref = await world.subscribe(path)
        world.receiver.answer(path, { status: 500 })
        await world.work({ retrySchedule: [0] })
        await world.publish()
        await world.recorded(ref, 2)
        await world.fixture.advance(7 * 86_400_000)
        await world.tap.polls()
        expect(await world.attempts(ref)).toMatchObject([
          { number: 1, outcome: 'failed' },
          { number: 2, outcome: 'exhausted' },
        ])
        expect(world.receiver.at(path)).toHaveLength(2)
      })

      it('include redirects, which are never followed', async ({ world }) => {
        const [path, elsewhere] = [world.path(), world.path('elsewhere')]
        const ref = await world.subscribe(path)
        world.receiver.answer(path, { status: 307, headers: { location: world.receiver.url(elsewhere) } })
        await world.publish()
        const worker = await world.work({ retrySchedule: [] })
        await world.receiver.received(path)
        await worker.stop()
        expect(await world.attempts(ref)).toMatchObject([{ outcome: 'exhausted', status: 307 }])
        expect(world.receiver.at(elsewhere)).toEqual([])
      })

      it('do not include a 2xx whose body breaks off', async ({ world }) => {
        const path = world.path()
        const ref = await world.subscribe(path)
        world.receiver.answer(path, { status: 202, body: 'accep', breakOff: true })
        await world.publish()
        const worker = await world.work()
        await world.receiver.received(path)
        await worker.stop()
        expect(await world.attempts(ref)).toMatchObject([{ outcome: 'delivered', status: 202, response: 'accep' }])
      })
    })

    describe('a subscription', () => {
      it('is disabled at once by a 410, and the platform’s hook is called', async ({ world }) => {
        const path = world.path()
        const { accountId, mode, id } = await world.subscribe(path)
        const ref = { accountId, mode, id }
        world.receiver.answer(path, { status: 410 })
        await world.work({ retrySchedule: [0, 0, 0] })
        await world.publish()
        await world.recorded(ref, 1)
        await world.publish(3)
        await world.tap.polls()
        expect(world.disabled).toEqual([{ ...ref, reason: 'gone' }])
        expect(await world.callboard.subscriptions.find(ref)).toMatchObject({
          state: 'disabled',
          disabledReason: 'gone',
        })
        expect(await world.attempts(ref)).toMatchObject([{ number: 1, outcome: 'gone', status: 410 }])
        expect(world.receiver.at(path)).toHaveLength(1)
      })

      it('keeps the reason given by a person who disables it just before its target answers 410', async ({ world }) => {
        const { subscriptions } = world.callboard
        for (const by of ['account', 'platform'] as const) {
          const path = world.path()
          const input = { targetUrl: world.receiver.url(path), eventTypes: ['order.paid'] }
          const made = await subscriptions.create({ accountId: 'acc', ...input })
          const answered = gate()
          world.receiver.answer(path, { status: 410, after: answered.opened })
          await world.publish()
          const worker = await world.work()
          await world.receiver.received(path)
          await subscriptions.disable({ ...made, by })
          const settled = world.tap.next('settle')
          answered.open()
          await settled
          await worker.stop()
          expect(await world.attempts(made)).toMatchObject([{ outcome: 'gone', status: 410 }])
          expect(await subscriptions.find(made)).toMatchObject({ state: 'disabled', disabledReason: by })
        }
        expect(world.disabled).toEqual([])
      })

      it('is disabled as failing after 20 failed attempts over 5 days without a success', async ({ world }) => {
        const DAY = 86_400_000
        const path = world.path()
        const ref = await world.subscribe(path)
        world.receiver.answer(path, { status: 500 })
        await world.publish(4)
        await world.work({ retrySchedule: Array.from({ length: 10 }, () => DAY) })
        for (let attempts = 1; attempts <= 5; attempts++) {
          await world.recorded(ref, 4 * attempts)
          expect(world.receiver.at(path)).toHaveLength(4 * attempts)
          expect(await world.callboard.subscriptions.find(ref)).toMatchObject({ state: 'active' })
          await world.fixture.advance(1.22 * DAY)
        }
        await world.recorded(ref, 21)
        expect(await world.callboard.subscriptions.find(ref)).toMatchObject({
          state: 'disabled',
          disabledReason: 'failing',
        })
        expect(world.disabled).toMatchObject([{ id: ref.id, reason: 'failing' }])
        expect(world.receiver.at(path)).toHaveLength(21)
      })

      it('gets nothing once its key is revoked', async ({ world }) => {
        const path = world.path()
        const ref = await world.subscribe(path)
        await world.publish()
        await world.callboard.keys.revoke({ accountId: 'acc', id: world.key.id })
        await world.work()
        await world.publish()
        await world.tap.polls()
        expect(world.receiver.at(path)).toEqual([])
        expect(await world.callboard.subscriptions.find(ref)).toMatchObject({ disabledReason: 'key' })
      })

      it('is disabled once its key has expired, and the platform’s hook is called', async ({ world }) => {
        const path = world.path()
        const caller = await newCaller(world.callboard, { expiresAt: new Date(Date.now() + 60_000) })
        const ref = await world.subscribe(path, caller)
        await world.work()
        await world.publish()
        await world.recorded(ref, 1)
        await world.fixture.advance(61_000)
        const held = world.tap.next('settle')
        await world.publish()
        await held
        await world.tap.polls()
        expect(world.receiver.at(path)).toHaveLength(1)
        expect(world.disabled).toMatchObject([{ id: ref.id, reason: 'key' }])
      })

      it('keeps receiving deliveries when its key is rotated, even after the old key has ended', async ({ world }) => {
        const path = world.path()
        await world.subscribe(path)
        await world.callboard.keys.rotate({ accountId: 'acc', id: world.key.id, overlapMs: 0 })
        await world.fixture.advance(1000)
        await world.publish()
        await world.work()
        expect(buyer((await world.receiver.received(path))[0])).toEqual(FULL)
      })

      it('gets nothing after its DELETE, even if its events were leased before', async ({ world }) => {
        const [path, kept] = [world.path(), world.path('kept')]
        const { id } = await world.subscribe(path)
        await world.subscribe(kept)
        const [removed, leased] = [gate(), gate()]
        world.tap.after('lease', async () => {
          leased.open()
          await removed.opened
        })
        await world.publish()
        let aged = 0
        await world.work({ elapsed: () => performance.now() + aged })
        await leased.opened
        await world.callboard.subscriptions.remove({ accountId: 'acc', mode: 'live', id, by: 'platform' })
        aged = STALE_MS
        removed.open()
        await world.receiver.received(kept)
        await world.tap.polls()
        expect(world.tap.calls('checkLeases')).toBeGreaterThanOrEqual(2)
        expect(world.receiver.at(path)).toEqual([])
      })

      it('gets no personal data if it lost the right to such data after its events were leased', async ({ world }) => {
        const path = world.path()
        await world.subscribe(path)
        const [confirmed, leased] = [gate(), gate()]
        world.tap.after('lease', async () => {
          leased.open()
          await confirmed.opened
        })
        await world.publish()
        let aged = 0
        await world.work({ elapsed: () => performance.now() + aged })
        await leased.opened
        await world.subscribe(path, await newCaller(world.callboard))
        aged = STALE_MS
        confirmed.open()
        expect(buyer((await world.receiver.received(path))[0])).toEqual(REDACTED)
      })
    })
  },

  postgres(it) {
    it('reaches a subscription created while the publishing transaction was open', async ({ world }) => {
      const path = world.path()
      await world.work()
      const { tx, commit } = await world.fixture.begin()
      const { id } = await world.callboard.publish(orderPaidEvent(), { tx })
      await world.subscribe(path)
      await commit()
      expect(idsOf(await world.receiver.received(path))).toEqual([id])
    })

    it('is never created for an event that was rolled back', async ({ world }) => {
      const path = world.path()
      await world.subscribe(path)
      await world.work()
      const { tx, rollback } = await world.fixture.begin()
      await world.callboard.publish(orderPaidEvent(), { tx })
      await world.tap.polls()
      await rollback()
      const [kept] = await world.publish()
      await world.receiver.received(path)
      await world.tap.polls()
      expect(idsOf(world.receiver.at(path))).toEqual([kept])
    })
  },
})
