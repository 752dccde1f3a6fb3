import { createCallboard, defineCatalog, defineEventType, definePreviousType } from '@callboard/core'
import { createTestSender, runUntilIdle } from '@callboard/delivery'
import { verify } from '@callboard/signature'
import type { Received } from '@callboard/testbed'
import { describe, expect } from 'vitest'
import { orderPaidEvent, pageOf } from './arrange.ts'
import { describeDeliveries, type World } from './delivery-it.ts'
import { RING } from './on-each-store.ts'
import { checkedIn, orderPaid } from './sample-catalog.ts'
import type { StoreFixture } from './stores.ts'
import {
  APRIL,
  aprilCatalog,
  aprilPaid,
  aprilSample,
  aprilSchema,
  CURRENT,
  versionedCatalog as catalog,
} from './versioned-catalog.ts'

const settings = {
  secretKeys: { current: 'k1', keys: { k1: RING.k1 } },
  targets: { allowedCidrs: ['127.0.0.0/8'], allowedPorts: 'any' },
} as const

/** The world's platform with both versions, and the same platform in April. */
function platforms(world: World<StoreFixture>) {
  const april = createCallboard({
    catalog: aprilCatalog,
    store: world.tap.store,
    ...settings,
    log: (entry) => world.logs.push(entry),
  })
  return { now: world.open({ catalog }), april }
}

async function verified({ headers, body }: Received, secret: string): Promise<Record<string, unknown>> {
  const { payload } = await verify<Record<string, unknown>>({ headers, body, secret })
  return payload
}

function inApril(world: World<StoreFixture>) {
  return { ...world.caller, apiVersion: APRIL }
}

describeDeliveries('format versions', {
  any(it) {
    describe('a subscription', () => {
      it('gets every event in the version that it is pinned to, signed', async ({ world }) => {
        const { now } = platforms(world)
        const [old, current] = [world.path(), world.path()]
        const pinned = await world.subscribe(old, inApril(world))
        const { secret } = await world.subscribe(current)
        await world.work({}, now)
        await now.publish(orderPaidEvent())
        const [inOld] = await world.receiver.received(old)
        const [inCurrent] = await world.receiver.received(current)
        expect(await verified(inOld!, pinned.secret)).toMatchObject({
          version: APRIL,
          data: { id: 'ord_1', contact: 'ada@example.com' },
        })
        expect(await verified(inCurrent!, secret)).toMatchObject({ version: CURRENT, data: { order: { id: 'ord_1' } } })
        expect(inOld!.headers['webhook-id']).toBe(inCurrent!.headers['webhook-id'])
      })

      it('gets an event of an older version as it was published', async ({ world }) => {
        const { now, april } = platforms(world)
        const path = world.path()
        const { secret } = await world.subscribe(path)
        await april.publish({ ...orderPaidEvent(), data: aprilSample })
        await world.work({}, now)
        const [received] = await world.receiver.received(path)
        expect(await verified(received!, secret)).toMatchObject({ version: APRIL, data: aprilSample })
      })

      it('gets the new shape in retries and resends once it is moved to another version', async ({ world }) => {
        const { now } = platforms(world)
        const path = world.path()
        const subscription = await world.subscribe(path, inApril(world))
        world.receiver.answer(path, { status: 500 }, { status: 200 })
        await world.work({ retrySchedule: [3_600_000] }, now)
        const { id } = await now.publish(orderPaidEvent())
        await world.recorded(subscription, 1)
        await now.subscriptions.setApiVersion({ ...subscription, apiVersion: CURRENT, by: 'platform' })
        await now.deliveries.resend({ ...subscription, subscriptionId: subscription.id, eventId: id })
        await world.recorded(subscription, 2)
        await now.deliveries.resend({ ...subscription, subscriptionId: subscription.id, eventId: id })
        const received = await world.receiver.received(path, 3)
        const versions = received.map(({ body }) => JSON.parse(body.toString()).version)
        expect(versions).toEqual([APRIL, CURRENT, CURRENT])
      })

      it('gets test events in its version', async ({ world }) => {
        const { now } = platforms(world)
        const path = world.path()
        const input = { targetUrl: world.receiver.url(path), eventTypes: ['order.paid'], apiVersion: APRIL }
        const made = await now.subscriptions.create({ accountId: 'acc', ...input, personalData: true })
        const sender = createTestSender(now, { extraCaCertificates: [world.receiver.ca] })
        await sender.send(made, 'order.paid')
        await sender.close()
        const [received] = world.receiver.at(path)
        expect(await verified(received!, made.secret)).toMatchObject({ test: true, version: APRIL, data: aprilSample })
      })

      it('keeps the order of each subject across versions', async ({ world }) => {
        const { now, april } = platforms(world)
        const path = world.path()
        const subscription = await world.subscribe(path, inApril(world))
        await now.subscriptions.setOrdering({ ...subscription, ordering: 'subject' })
        await april.publish({ ...orderPaidEvent(), data: aprilSample })
        await now.publish(orderPaidEvent())
        world.receiver.answer(path, { status: 500 }, { status: 200 })
        await world.work({ retrySchedule: [0] }, now)
        const received = await world.receiver.received(path, 3)
        const sequences = received.map(({ body }) => JSON.parse(body.toString()).subject.sequence)
        expect(sequences).toEqual([1, 1, 2])
      })
    })

    describe('a conversion that fails for one event', () => {
      it('exhausts the event’s delivery, is reported with the type and versions, and delays no other event', async ({
        world,
      }) => {
        const { now } = platforms(world)
        const path = world.path()
        const subscription = await world.subscribe(path, inApril(world))
        await world.work({ retrySchedule: [0] }, now)
        const data = { order: { id: 'ord_bad', buyer: { entity_id: 'per_1', email: 'ada@example.com' } } }
        const bad = await now.publish(orderPaidEvent({ data }))
        for (let more = 0; more < 5; more++) await now.publish(orderPaidEvent({ data }))
        const good = await now.publish(orderPaidEvent())
        const [received] = await world.receiver.received(path)
        expect(received!.headers['webhook-id']).toBe(good.id)
        const [health] = await now.subscriptions.troubled()
        expect(health, 'the failures of conversions do not count against the target').toBeUndefined()
        await world.recorded(subscription, 2, bad.id)
        expect(
          await now.deliveries.find({ ...subscription, subscriptionId: subscription.id, eventId: bad.id }),
        ).toMatchObject({ state: 'exhausted' })
        const [error] = world.errors
        expect(error).toMatchObject({
          code: 'CONVERSION_FAILED',
          message: `order.paid ${bad.id} cannot be converted from version ${CURRENT} to ${APRIL}.`,
        })
        expect(JSON.stringify(world.errors)).not.toContain('ada@')
        expect(world.receiver.at(path)).toHaveLength(1)
      })

      it('leaves the event in its own version on a page, and converts the other events', async ({ world }) => {
        const { now } = platforms(world)
        const data = { order: { id: 'ord_bad', buyer: { entity_id: 'per_1', email: 'ada@example.com' } } }
        await now.publish(orderPaidEvent({ data }))
        await now.publish(orderPaidEvent())
        const { data: events } = await now.events.page({ accountId: 'acc', apiVersion: APRIL })
        expect(events.map(({ version }) => version).sort()).toEqual([APRIL, CURRENT])
        expect(JSON.stringify(events)).not.toContain('ada@')
        expect(world.errors).toMatchObject([{ code: 'CONVERSION_FAILED' }])
      })
    })

    describe('an event of a version that a worker does not know', () => {
      it('waits for another worker, uses up no attempt, and is named in the worker’s health and the gauges', async ({
        world,
      }) => {
        const { now, april } = platforms(world)
        const path = world.path()
        const subscription = await world.subscribe(path, inApril(world))
        const first = await april.publish({ ...orderPaidEvent(), data: aprilSample })
        const { id } = await now.publish(orderPaidEvent())
        const old = await world.work({ name: 'old' }, april as never)
        await world.receiver.received(path)
        const postponed = [{ cause: 'version', name: CURRENT, lanes: 1 }]
        const { deliveries } = world.tap.store
        await expect.poll(async () => (await deliveries.gauges()).postponed).toEqual(postponed)
        expect(old.health()).toMatchObject({ ok: true, postponed })
        expect(await world.attempts(subscription)).toMatchObject([{ eventId: first.id, outcome: 'delivered' }])
        expect(
          await now.deliveries.find({ ...subscription, subscriptionId: subscription.id, eventId: id }),
        ).toMatchObject({ state: 'pending', attempts: 0 })
        const fields = { worker: 'old', cause: 'version', missing: CURRENT }
        expect(world.logs.at(-1)).toMatchObject({ level: 'warn', fields })

        await world.work({}, now)
        const [, received] = await world.receiver.received(path, 2)
        expect(JSON.parse(received!.body.toString())).toMatchObject({ version: APRIL, data: { id: 'ord_1' } })
        await world.recorded(subscription, 1, id)
        expect(await world.attempts(subscription, id)).toMatchObject([{ number: 1, outcome: 'delivered' }])
      })

      it('waits without an attempt as a retry too, while later events are delivered', async ({ world }) => {
        const { now, april } = platforms(world)
        const path = world.path()
        const subscription = await world.subscribe(path, inApril(world))
        world.receiver.answer(path, { status: 500 }, { status: 200 })
        const { id } = await now.publish(orderPaidEvent())
        const first = await world.work({ retrySchedule: [0, 0] }, now)
        world.tap.after('settle', () => void first.stop())
        await first.stopped
        await world.work({ retrySchedule: [0, 0] }, april as never)
        const later = await april.publish({ ...orderPaidEvent(), data: aprilSample })
        await world.recorded(subscription, 1, later.id)
        expect(await world.attempts(subscription, id)).toHaveLength(1)
        expect(
          await now.deliveries.find({ ...subscription, subscriptionId: subscription.id, eventId: id }),
        ).toMatchObject({ state: 'retrying', attempts: 1 })
        await world.work({ retrySchedule: [0, 0] }, now)
        await world.recorded(subscription, 2, id)
        expect(await world.attempts(subscription, id)).toMatchObject([{ outcome: 'failed' }, { outcome: 'delivered' }])
      })

      it('ends as expired, without an attempt, when retention removes it', async ({ world }) => {
        const { now, april } = platforms(world)
        const path = world.path()
        const subscription = await world.subscribe(path, inApril(world))
        const { id } = await now.publish(orderPaidEvent())
        const old = await world.work({ retentionMs: 0 }, april as never)
        await expect.poll(() => old.health().postponed).toHaveLength(1)
        await world.fixture.advance(31 * 86_400_000)
        expect(await now.retention.run()).toMatchObject({ events: 1, expired: 1 })
        expect(
          await now.deliveries.find({ ...subscription, subscriptionId: subscription.id, eventId: id }),
        ).toBeUndefined()
        expect(await world.attempts(subscription)).toEqual([])
        expect(world.receiver.at(path)).toEqual([])
      })

      it('does not keep runUntilIdle from ending, which says what it could not send', async ({ world }) => {
        const { now, april } = platforms(world)
        await world.subscribe(world.path(), inApril(world))
        await now.publish(orderPaidEvent())
        const options = { deadlineMs: 60_000, extraCaCertificates: [world.receiver.ca], pollMs: 5 }
        const report = await runUntilIdle(april, options)
        const postponed = [{ cause: 'version', name: CURRENT, lanes: 1 }]
        expect(report).toMatchObject({ end: 'idle', sequenced: 1, delivered: 0, failed: 0, postponed })
        expect(report.nextInMs).toBeGreaterThan(20_000)
        expect(await runUntilIdle(now, options)).toMatchObject({ delivered: 1, postponed: [], nextInMs: undefined })
      })
    })

    it('a cursor can continue a list in another version', async ({ world }) => {
      const { now } = platforms(world)
      for (let count = 0; count < 3; count++) await now.publish(orderPaidEvent())
      const first = await pageOf(now, world.key.token, { limit: 2 })
      const owner = { accountId: 'acc', apiVersion: APRIL }
      const rest = await now.events.page({ ...owner, cursor: first.nextCursor })
      expect(rest.data.map(({ version }) => version)).toEqual([APRIL])
    })

    describe('erasure', () => {
      it('erases events of each version at the paths of that version', async ({ world }) => {
        const { now, april } = platforms(world)
        const old = await april.publish({ ...orderPaidEvent(), data: { ...aprilSample, id: 'per_1' } })
        const { id } = await now.publish(orderPaidEvent())
        expect(await now.erasure.person({ accountId: 'acc', personId: 'per_1' })).toMatchObject({ events: 2 })
        for (const apiVersion of [APRIL, CURRENT])
          for (const each of [old.id, id]) {
            const event = await now.events.find({ accountId: 'acc', id: each, personalData: true, apiVersion })
            expect(JSON.stringify(event)).not.toMatch(/ada@|contact|email/)
          }
        expect(await now.erasure.person({ accountId: 'acc', personId: 'per_1' })).toMatchObject({ events: 0 })
      })

      it('finds events of an older version again once that version has more personal-data paths', async ({ world }) => {
        const { now, april } = platforms(world)
        const { id } = await april.publish({ ...orderPaidEvent(), data: { ...aprilSample, id: 'per_1' } })
        await now.erasure.person({ accountId: 'acc', personId: 'per_1' })
        const withNote = { ...orderPaid, personalDataPaths: [...orderPaid.personalDataPaths, 'order.note'] }
        const sample = { order: { ...orderPaid.sample.order, note: 'x' } }
        const newer = defineEventType({ ...withNote, sample })
        const older = definePreviousType(newer, {
          schema: aprilSchema,
          sample: aprilSample,
          personalDataPaths: ['contact', 'note'],
          down: (data) => aprilPaid.down(data) as never,
        })
        const previous = [{ version: APRIL, types: [older] }]
        const grown = world.open({ catalog: defineCatalog({ version: CURRENT, types: [newer, checkedIn], previous }) })
        expect(await grown.erasure.person({ accountId: 'acc', personId: 'per_1' })).toMatchObject({ events: 1 })
        const event = await grown.events.find({ accountId: 'acc', id, personalData: true })
        expect(event?.data).toEqual({ id: 'per_1' })
        expect(await grown.erasure.person({ accountId: 'acc', personId: 'per_1' })).toMatchObject({ events: 0 })
      })

      it('erases events of a version that the catalogue no longer has, and does not find them again', async ({
        world,
      }) => {
        const { april } = platforms(world)
        const { id } = await april.publish({ ...orderPaidEvent(), data: { ...aprilSample, id: 'per_1' } })
        const { erasure, events } = world.callboard
        expect(await erasure.person({ accountId: 'acc', personId: 'per_1' })).toMatchObject({ events: 1 })
        expect(await erasure.before({ horizon: new Date(Date.now() + 60_000) })).toMatchObject({ events: 0 })
        const event = await events.find({ accountId: 'acc', id, personalData: true })
        expect(event).toMatchObject({ version: APRIL, data: { id: 'per_1' } })
        expect(JSON.stringify(event)).not.toContain('ada@')
      })
    })

    it('a delivery in a deprecated version is reported to the hook', async ({ world }) => {
      const deprecated = defineCatalog({
        version: CURRENT,
        types: [orderPaid, checkedIn],
        previous: [{ version: APRIL, types: [aprilPaid], deprecated: CURRENT }],
      })
      const told: unknown[] = []
      const now = world.open({ catalog: deprecated, onDeprecatedDelivery: (delivery) => told.push(delivery) })
      const [old, current] = [world.path(), world.path()]
      const { id: subscriptionId } = await world.subscribe(old, inApril(world))
      const subscription = await world.subscribe(current)
      await world.work({}, now)
      const { id: eventId } = await now.publish(orderPaidEvent())
      await world.recorded(subscription, 1)
      const ref = { accountId: 'acc', mode: 'live', id: subscriptionId } as const
      await world.recorded(ref, 1)
      const type = 'order.paid'
      expect(told).toEqual([{ accountId: 'acc', mode: 'live', subscriptionId, eventId, type, version: APRIL }])
    })
  },
})
