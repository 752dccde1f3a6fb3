import { defineCatalog, defineEventType, type RetentionOptions } from '@callboard/core'
import { verify } from '@callboard/signature'
import type { Received } from '@callboard/testbed'
import { describe, expect } from 'vitest'
import { envelopes, issueKey, orderPaidEvent } from './arrange.ts'
import { describeDeliveries, gate, idsOf } from './delivery-it.ts'
import { RING, type SampleCallboard } from './on-each-store.ts'
import { catalog, checkedIn, orderPaid, type SampleCatalog } from './sample-catalog.ts'

const BOTH_KEYS = { current: 'k2', keys: RING } as const
const NOTHING_ERASED = { events: 0, late: 0, responses: 0, accounts: [], openTransactions: 0 }
const NEW_KEY = { current: 'k2', keys: { k2: RING.k2 } } as const

/** The sample catalogue, but with other paths in `order.paid`. */
function catalogWithPaths(
  personalDataPaths: readonly string[],
  personPath: string | null = 'order.buyer.entity_id',
): SampleCatalog {
  return defineCatalog({
    version: catalog.version,
    types: [defineEventType({ ...orderPaid, personalDataPaths, personPath: personPath ?? undefined }), checkedIn],
  })
}

/** The parsed body of a delivery, after verifying its signature. Workers sign by the store's clock, which tests move. */
function verified({ headers, body }: Received, secret: string): Promise<unknown> {
  return verify({ headers, body, secret, tolerance: 3 * 3_600 }).then(() => JSON.parse(body.toString()))
}

describeDeliveries('maintenance of stored data', {
  any: (it) => {
    describe('rewrapping secrets', () => {
      it('allows removal of the former ring key: deliveries are still signed with the same secrets', async ({
        world,
      }) => {
        const { callboard, open, path, receiver } = world
        const paths = [path(), path(), path()]
        const subscriptions = []
        for (const each of paths) subscriptions.push(await world.subscribe(each))
        const [rotated] = subscriptions
        const newest = await callboard.subscriptions.rotateSecret({ ...rotated!, by: 'platform' })

        const both = open({ secretKeys: BOTH_KEYS })
        expect(await both.subscriptions.rewrapSecrets()).toEqual({ rewrapped: 4, unopened: 0, nextCursor: null })
        expect(await both.subscriptions.rewrapSecrets()).toEqual({ rewrapped: 0, unopened: 0, nextCursor: null })

        const without = open({ secretKeys: NEW_KEY })
        await world.work({}, without)
        await without.publish({
          accountId: 'acc',
          type: 'order.paid',
          subject: { type: 'order', id: 'ord_1' },
          data: { order: { id: 'ord_1', buyer: { entity_id: 'per_1' } } },
        })
        for (const [index, each] of paths.entries()) {
          const [request] = await receiver.received(each)
          await verified(request!, subscriptions[index]!.secret)
        }
        await verified(receiver.at(paths[0]!)[0]!, newest)
        expect(world.errors).toEqual([])
      })

      it('continues where an earlier call stopped', async ({ world }) => {
        const both = world.open({ secretKeys: BOTH_KEYS })
        for (let count = 0; count < 5; count++) await world.subscribe(world.path())
        const counts: number[] = []
        let cursor: string | null = null
        do {
          const report: { rewrapped: number; nextCursor: string | null } = await both.subscriptions.rewrapSecrets({
            limit: 2,
            cursor,
          })
          counts.push(report.rewrapped)
          cursor = report.nextCursor
        } while (cursor !== null)
        expect(counts).toEqual([2, 2, 1])
      })

      it('counts a secret that cannot be decrypted, reports why, and rewraps the others', async ({ world }) => {
        const [lost] = [await world.subscribe(world.path()), await world.subscribe(world.path())]
        const sealed = (await world.callboard.subscriptions.find(lost!))!.secrets[0]!.sealed
        await world.fixture.store.subscriptions.replaceSealed(
          lost!,
          sealed,
          `${sealed.slice(0, -2)}${sealed.endsWith('AA') ? 'BB' : 'AA'}`,
        )
        const both = world.open({ secretKeys: BOTH_KEYS })
        expect(await both.subscriptions.rewrapSecrets()).toEqual({ rewrapped: 1, unopened: 1, nextCursor: null })
        expect(world.errors).toMatchObject([{ code: 'CONFIGURATION_INVALID' }])
      })

      it('does not overwrite a secret that is rotated at the same time', async ({ world }) => {
        const subscription = await world.subscribe(world.path())
        const both = world.open({ secretKeys: BOTH_KEYS })
        const { subscriptions } = world.fixture.store
        const read = subscriptions.sealedSecrets
        const racing = world.open({
          secretKeys: BOTH_KEYS,
          store: {
            ...world.fixture.store,
            subscriptions: {
              ...subscriptions,
              async sealedSecrets(after, limit) {
                const found = await read(after, limit)
                for (let turns = 0; turns < 2; turns++)
                  await both.subscriptions.rotateSecret({ ...subscription, by: 'platform' })
                return found
              },
            },
          },
        })
        expect(await racing.subscriptions.rewrapSecrets()).toEqual({ rewrapped: 0, unopened: 0, nextCursor: null })
        const now = await both.subscriptions.find(subscription)
        expect(now?.secrets.map(({ sealed }) => sealed.split('.')[1])).toEqual(['k2', 'k2'])
      })
    })

    describe('erasing personal data', () => {
      const ADA = { entity_id: 'per_1', name: 'Ada', email: 'ada@example.com' }
      const ERASED = { entity_id: 'per_1' }
      const order = (buyer: { entity_id: string; name?: string; email?: string }, id = 'ord_1') => ({
        data: { order: { id, buyer } },
      })

      it('hides the data from everybody, even while a retry is in flight', async ({ world }) => {
        const { callboard, receiver } = world
        const path = world.path()
        const opened = gate()
        receiver.answer(path, { status: 500, body: 'no room for Ada' }, { after: opened.opened })
        const subscription = await world.subscribe(path)
        const [event] = await world.publish(1, order(ADA))
        const redacted = await callboard.events.find({ accountId: 'acc', id: event! })
        const worker = await world.work({ retrySchedule: [5] })
        await receiver.received(path, 2)
        // One attempt has failed. Another one is in flight: it was leased before the erasure and is answered after it.
        expect(await callboard.erasure.person({ accountId: 'acc', personId: 'per_1' })).toMatchObject({
          events: 1,
          responses: 1,
        })
        opened.open()
        await world.recorded(subscription, 2)
        await worker.stop()
        expect(await world.attempts(subscription)).toMatchObject([{ response: undefined }, { outcome: 'delivered' }])

        for (const personalData of [true, false]) {
          expect(await callboard.events.find({ accountId: 'acc', id: event!, personalData })).toEqual(redacted)
          expect(await envelopes(callboard, { personalData })).toEqual([redacted])
        }
      })

      it('removes the data from a later retry, which has a valid signature', async ({ world }) => {
        const { callboard, receiver } = world
        const path = world.path()
        receiver.answer(path, { status: 500 }, {})
        const subscription = await world.subscribe(path)
        const [event] = await world.publish(1, order(ADA))
        const first = await world.work({ retrySchedule: [3_600_000] })
        await world.recorded(subscription, 1)
        await first.stop()
        await callboard.erasure.person({ accountId: 'acc', personId: 'per_1' })
        await world.fixture.advance(2 * 3_600_000)
        await world.work()
        const [full, later] = await receiver.received(path, 2)
        expect(await verified(full!, subscription.secret)).toMatchObject({ data: { order: { buyer: ADA } } })
        const redacted = await callboard.events.find({ accountId: 'acc', id: event! })
        expect(await verified(later!, subscription.secret)).toEqual(redacted)
        expect(redacted).toMatchObject({ data: { order: { buyer: ERASED } } })
      })

      it('erases only the given person, in both modes unless the mode is given', async ({ world }) => {
        const { callboard } = world
        await callboard.accounts.create({ id: 'other', name: 'Other' })
        await world.publish(60, order(ADA))
        await world.publish(1, { ...order(ADA), mode: 'test' })
        await world.publish(1, order({ ...ADA, entity_id: 'per_2' }))
        await world.publish(1, { ...order(ADA), accountId: 'other' })
        const holding = async (accountId: string, mode: 'live' | 'test') => {
          const { data } = await callboard.events.page({ accountId, mode, personalData: true, limit: 100 })
          return data.filter((event) => JSON.stringify(event).includes('ada@example.com')).length
        }
        const person = { accountId: 'acc', personId: 'per_1' }
        expect(await callboard.erasure.person({ ...person, mode: 'live' })).toMatchObject({ events: 60 })
        expect([await holding('acc', 'live'), await holding('acc', 'test')]).toEqual([1, 1])
        expect(await callboard.erasure.person(person)).toMatchObject({ events: 1 })
        expect(await callboard.erasure.person(person)).toEqual({ ...NOTHING_ERASED, unattributed: [] })
        expect([await holding('acc', 'live'), await holding('acc', 'test'), await holding('other', 'live')]).toEqual([
          1, 0, 1,
        ])
      })

      it('erases the personal data in events published before a horizon, for one account or for all', async ({
        world,
      }) => {
        const { callboard, fixture } = world
        await callboard.accounts.create({ id: 'other', name: 'Other' })
        await world.publish(3, order(ADA))
        await world.publish(1, { ...order(ADA), accountId: 'other' })
        const { createdAt: before } = await issueKey(callboard)
        await fixture.advance(600_000)
        const horizon = new Date(before.getTime() + 300_000)
        await world.publish(1, order(ADA))
        const counts = { events: 3, late: 0, responses: 0 }
        expect(await callboard.erasure.before({ accountId: 'acc', horizon })).toEqual({
          ...counts,
          accounts: [{ accountId: 'acc', ...counts }],
          openTransactions: 0,
        })
        const rest = { ...counts, events: 1 }
        expect(await callboard.erasure.before({ horizon })).toEqual({
          ...rest,
          accounts: [{ accountId: 'other', ...rest }],
          openTransactions: 0,
        })
        expect(await callboard.erasure.before({ horizon })).toEqual(NOTHING_ERASED)
        const buyers = (await envelopes(callboard, { personalData: true })).map(({ data }) => data.order.buyer)
        expect(buyers).toEqual([ADA, ERASED, ERASED, ERASED])
        await expect(callboard.erasure.before({ horizon: new Date(Number.NaN) })).rejects.toMatchObject({
          code: 'VALIDATION_FAILED',
        })
      })

      it('permanently removes fields that became personal data after the event was published', async ({ world }) => {
        const { callboard } = world
        // At first, only the name was personal data.
        const before = world.open({ catalog: catalogWithPaths(['order.buyer.name']) })
        const data = { order: { id: 'ord_1', buyer: ADA } }
        const { id } = await before.publish({
          accountId: 'acc',
          type: 'order.paid',
          subject: { type: 'order', id: 'o' },
          data,
        })
        const read = (personalData: boolean, facade = callboard) =>
          facade.events.find({ accountId: 'acc', id, personalData })
        const redacted = await read(false)
        expect(redacted).toMatchObject({ data: { order: { buyer: ERASED } } })
        expect(await read(true)).toMatchObject({ data: { order: { buyer: ADA } } })
        expect(await callboard.erasure.person({ accountId: 'acc', personId: 'per_1' })).toMatchObject({ events: 1 })
        for (const personalData of [true, false]) {
          expect(await read(personalData)).toEqual(redacted)
          // A facade with the old catalogue does not show the data either, because it was deleted and not only hidden.
          expect(await read(personalData, before)).toEqual(redacted)
        }
        // Fields that become personal data after publishing are hidden as well.
        const later = world.open({ catalog: catalogWithPaths(['order.buyer', 'order.id']) })
        expect(await read(true, later)).toMatchObject({ data: { order: { status: 'paid', lines: [] } } })
        expect(await read(true, later)).not.toHaveProperty('data.order.id')
      })
    })

    describe('erasing personal data with a catalogue that grows', () => {
      const BUYER = { entity_id: 'per_1', name: 'Ada', email: 'ada@example.com' }
      const person = { accountId: 'acc', personId: 'per_1' }
      const publish = async ({ publish }: Pick<SampleCallboard, 'publish'>) =>
        (await publish(orderPaidEvent({ data: { order: { id: 'ord_1', buyer: BUYER } } }))).id

      it.for(['person', 'before'] as const)(
        'erases, with erasure.%s, personal data that a process with an older catalogue did not erase',
        async (verb, { world }) => {
          const [older, newer] = [['order.buyer.name'], ['order.buyer.name', 'order.buyer.email']].map((paths) =>
            world.open({ catalog: catalogWithPaths(paths) }),
          )
          const id = await publish(older!)
          const read = (facade = older!) => facade.events.find({ accountId: 'acc', id, personalData: true })
          expect(await older!.erasure.person(person)).toMatchObject({ events: 1 })
          expect(await read()).toMatchObject({ data: { order: { buyer: { email: 'ada@example.com' } } } })

          const erase = () =>
            verb === 'person'
              ? newer!.erasure.person(person)
              : newer!.erasure.before({ horizon: new Date(Date.now() + 60_000) })
          expect(await erase()).toMatchObject({ events: 1 })
          // The older process cannot serve the field either, because it is no longer stored.
          for (const facade of [older, newer])
            expect(await read(facade)).toMatchObject({ data: { order: { buyer: { entity_id: 'per_1' } } } })
          expect(JSON.stringify(await read())).not.toContain('ada')
          expect(await erase()).toMatchObject({ events: 0 })
        },
      )

      it('finds an erased event again after the ring’s current key was changed', async ({ world }) => {
        const older = world.open({ catalog: catalogWithPaths(['order.buyer.name']) })
        await publish(older)
        await older.erasure.person(person)
        const newer = world.open({ catalog: catalogWithPaths(['order.buyer.email']), secretKeys: BOTH_KEYS })
        expect(await newer.erasure.person(person)).toMatchObject({ events: 1 })
      })

      it('says how many earlier events name no person, because their type had no personPath', async ({ world }) => {
        const older = world.open({ catalog: catalogWithPaths(['order.buyer.name'], null) })
        await publish(older)
        await publish(older)
        await publish(world.callboard)
        expect(await world.callboard.erasure.person(person)).toMatchObject({
          events: 1,
          unattributed: [{ type: 'order.paid', events: 2 }],
        })
        const horizon = new Date(Date.now() + 60_000)
        expect(await world.callboard.erasure.before({ horizon })).toMatchObject({ events: 2 })
        expect(await world.callboard.erasure.person(person)).toMatchObject({ events: 0, unattributed: [] })
      })

      it('tells the platform’s hook what was erased from each account, but not whose data it was', async ({
        world,
      }) => {
        const told: unknown[] = []
        const callboard = world.open({ onErased: (erasure) => told.push(erasure) })
        await callboard.accounts.create({ id: 'other', name: 'Other' })
        await publish(callboard)
        await callboard.publish(orderPaidEvent({ accountId: 'other' }))
        await callboard.erasure.before({ horizon: new Date(Date.now() + 60_000) })
        await callboard.erasure.person(person)
        const counts = { events: 1, late: 0, responses: 0 }
        expect(told).toEqual([
          { accountId: 'acc', ...counts },
          { accountId: 'other', ...counts },
        ])
      })

      it('refuses a waitMs that is not a number of milliseconds', async ({ world }) => {
        for (const waitMs of [-1, Number.NaN, Number.POSITIVE_INFINITY])
          await expect(world.callboard.erasure.person({ ...person, waitMs })).rejects.toMatchObject({
            code: 'VALIDATION_FAILED',
            issues: [{ path: 'waitMs' }],
          })
      })
    })

    describe('retention', () => {
      const DAY_MS = 86_400_000

      it('expires the undelivered events of a disabled subscription, and delivers all others', async ({ world }) => {
        const { callboard, fixture, path, receiver } = world
        const [sentTo, waitsAt] = [path(), path()]
        const sent = await world.subscribe(sentTo)
        const waits = await world.subscribe(waitsAt)
        const early = await world.publish(3)
        await fixture.store.deliveries.sequence(10)
        await callboard.subscriptions.disable({ ...waits, by: 'platform' })
        const worker = await world.work()
        await world.recorded(sent, 3)
        await fixture.advance(31 * DAY_MS)
        const late = await world.publish(2)
        await world.recorded(sent, 5)
        await worker.stop()
        expect(await callboard.retention.run()).toMatchObject({ hasMore: false, busy: false, events: 3, expired: 3 })

        const { accountId, mode, id } = waits
        const [range, ...others] = await callboard.retention.expired({ accountId, mode, subscriptionId: id })
        expect([range?.deliveries, others]).toEqual([3, []])
        expect(await callboard.retention.expired({ ...sent, subscriptionId: sent.id })).toEqual([])
        expect(idsOf(receiver.at(sentTo)).sort()).toEqual([...early, ...late].sort())
        expect(receiver.at(waitsAt)).toEqual([])
        expect((await envelopes(callboard)).map((event) => event.id).sort()).toEqual([...late].sort())
      })

      it('expires the pending retry of an event that it removed', async ({ world }) => {
        const { callboard, fixture, receiver } = world
        const path = world.path()
        receiver.answer(path, { status: 500 })
        const subscription = await world.subscribe(path)
        await world.publish()
        const first = await world.work({ retrySchedule: [20 * DAY_MS] })
        await world.recorded(subscription, 1)
        await first.stop()
        await fixture.advance(31 * DAY_MS)
        expect(await callboard.retention.run()).toMatchObject({ events: 1, expired: 0 })
        await world.work()
        await world.recorded(subscription, 1)
        while ((await world.attempts(subscription)).at(-1)?.outcome !== 'expired') await world.tap.polls(1)
        expect(receiver.at(path)).toHaveLength(1)
      })

      it('is applied by one worker at a time, alongside its deliveries', async ({ world }) => {
        const { callboard, fixture } = world
        const subscription = await world.subscribe(world.path())
        const path = world.path()
        const waiting = await world.subscribe(path)
        await world.publish(3)
        await fixture.store.deliveries.sequence(10)
        await callboard.subscriptions.disable({ ...waiting, by: 'platform' })
        const early = await world.work({ retentionMs: 0 })
        await world.recorded(subscription, 3)
        await early.stop()
        await fixture.advance(31 * DAY_MS)
        const [late] = await world.publish()
        const later = world.open({ now: () => Date.now() + 31 * DAY_MS })
        await world.work({ retentionMs: 20 }, later)
        await world.work({ retentionMs: 20 }, later)
        while (
          (await envelopes(callboard)).length > 1 ||
          (await callboard.retention.expired({ ...waiting, subscriptionId: waiting.id })).length === 0
        )
          await world.tap.polls(1)
        await world.recorded(subscription, 1, late)
        // Also waits for the log entry, because the worker writes it only after the store has removed the events.
        await world.tap.until(() => world.logs.some(({ level }) => level === 'warn'))
        expect(world.logs).toContainEqual(
          expect.objectContaining({ level: 'warn', fields: expect.objectContaining({ deliveries: 3 }) }),
        )
        expect(world.errors).toEqual([])
      })

      it('continues a pass that was interrupted', async ({ world }) => {
        const { callboard, fixture } = world
        await world.publish(5)
        await fixture.store.deliveries.sequence(10)
        await fixture.advance(31 * DAY_MS)
        expect(await callboard.retention.run({ limit: 2, steps: 1 })).toMatchObject({
          hasMore: true,
          busy: false,
          events: 2,
        })
        expect(await callboard.retention.run({ limit: 2 })).toMatchObject({ hasMore: false, busy: false, events: 3 })
        await expect(callboard.retention.run({ limit: 0 })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' })
      })

      it('cannot be configured to remove events that can still be read or are still being retried', async ({
        world,
      }) => {
        const refused = expect.objectContaining({ code: 'CONFIGURATION_INVALID' })
        const open = (retention: RetentionOptions) => () => world.open({ retention })
        expect(open({ eventsMs: 29 * DAY_MS })).toThrow(refused)
        for (const horizon of [0, Number.NaN, Number.POSITIVE_INFINITY])
          expect(open({ attemptsMs: horizon })).toThrow(refused)
        expect(world.open({ eventHorizonMs: 60 * DAY_MS }).retention.horizons).toMatchObject({ eventsMs: 60 * DAY_MS })
        const brief = world.open({ eventHorizonMs: DAY_MS, retention: { eventsMs: 2 * DAY_MS } })
        await expect(world.work({}, brief)).rejects.toEqual(refused)
        const worker = await world.work({ retrySchedule: [DAY_MS] }, brief)
        expect(worker.health().state).toBe('running')
      })
    })
  },
  postgres: (it) => {
    it('removes events while a platform transaction is open, and the event of that transaction still arrives', async ({
      world,
    }) => {
      const { callboard, fixture, receiver } = world
      const path = world.path()
      const subscription = await world.subscribe(path)
      await world.publish(2)
      const worker = await world.work()
      await world.recorded(subscription, 2)
      const open = await fixture.begin()
      const { id } = await callboard.publish(orderPaidEvent(), { tx: open.tx })
      await fixture.advance(31 * 86_400_000)
      expect(await callboard.retention.run()).toMatchObject({ hasMore: false, busy: false, events: 2 })
      await callboard.publish(orderPaidEvent(), { tx: open.tx })
      await open.commit()
      expect(idsOf(await receiver.received(path, 4))).toContain(id)
      await worker.stop()
    })

    it('does not repeat a step that another process is executing', async ({ world }) => {
      const other = await world.fixture.begin()
      const locked = `select 1 from ${world.fixture.schema}.retention for update`
      await (other.tx as { query(text: string): Promise<unknown> }).query(locked)
      expect(await world.callboard.retention.run()).toMatchObject({ hasMore: true, busy: true, events: 0 })
      await other.rollback()
      expect(await world.callboard.retention.run()).toMatchObject({ hasMore: false, busy: false })
    })

    it('leaves nothing of an erased person in any table', async ({ world }) => {
      const path = world.path()
      world.receiver.answer(path, { status: 500, body: 'Ada <ada@example.com>' })
      const subscription = await world.subscribe(path)
      await world.publish(2, { idempotencyKey: undefined })
      await world.publish(1, { idempotencyKey: 'once' })
      const worker = await world.work({ retrySchedule: [3_600_000] })
      await world.recorded(subscription, 3)
      await worker.stop()
      expect(await world.fixture.everything()).toMatch(/Ada/)
      expect(await world.callboard.erasure.person({ accountId: 'acc', personId: 'per_1' })).toMatchObject({
        events: 3,
        responses: 3,
      })
      expect(await world.fixture.everything()).not.toMatch(/Ada|ada@example/)
      const { rows } = await world.fixture.query('select digest, person_id, person_digest from callboard.events')
      expect(rows).toEqual(
        Array(3).fill({ digest: null, person_id: null, person_digest: expect.stringMatching(/^k1\.[\w-]{43}$/) }),
      )
    })

    it('erases all data of an event whose text it did not write, and reports it', async ({ world }) => {
      const buyer = { entity_id: 'per_1', name: 'Ada', email: 'ada@example.com' }
      const older = world.open({ catalog: catalogWithPaths(['order.buyer.name']) })
      const rewrites = [
        'body::jsonb::text',
        'jsonb_pretty(body::jsonb)',
        'left(body, -2)',
        `'Ada <ada@example.com>'`,
        'body',
      ]
      const ids: string[] = []
      for (const rewrite of rewrites) {
        const { id } = await older.publish(orderPaidEvent({ data: { order: { id: 'ord_1', buyer } } }))
        ids.push(id)
        await world.fixture.query(
          `update callboard.events set body = ${rewrite} where id = (select max(id::text) from callboard.events)::uuid`,
        )
      }
      const errors: unknown[] = []
      const newer = world.open({
        catalog: catalogWithPaths(['order.buyer.name', 'order.buyer.email']),
        onError: (error) => errors.push(error),
      })
      expect(await newer.erasure.person({ accountId: 'acc', personId: 'per_1' })).toMatchObject({ events: 5 })
      expect(await world.fixture.everything()).not.toMatch(/Ada|ada@example/)
      const foreign = ids.slice(0, -1)
      expect(errors.map(String).toSorted()).toEqual(
        foreign
          .map((id) => `Error: Callboard did not write the text of the event ${id}, so all of its data was erased.`)
          .toSorted(),
      )
      for (const id of foreign)
        expect(await newer.events.find({ accountId: 'acc', id })).toMatchObject({ id, type: 'order.paid', data: {} })
      const own = await newer.events.find({ accountId: 'acc', id: ids.at(-1) ?? '' })
      expect(own).toMatchObject({ data: { order: { id: 'ord_1', buyer: { entity_id: 'per_1' } } } })
    })

    it('rewraps without waiting for an open transaction of the platform', async ({ world }) => {
      await world.subscribe(world.path())
      const open = await world.fixture.begin()
      await world.callboard.publish(orderPaidEvent(), { tx: open.tx })
      const both = world.open({ secretKeys: BOTH_KEYS })
      expect(await both.subscriptions.rewrapSecrets()).toMatchObject({ rewrapped: 1 })
      await open.rollback()
    })

    it.for(['person', 'before'] as const)(
      'erases, with erasure.%s, events that an open transaction commits after the call',
      async (verb, { world }) => {
        const { callboard, fixture } = world
        const { store } = fixture
        const looked = gate()
        const watching = world.open({
          store: {
            ...store,
            maintenance: {
              ...store.maintenance,
              openTransactions: () => store.maintenance.openTransactions().finally(looked.open),
            },
          },
        })
        await world.publish(2)
        const [open, other] = [await fixture.begin(), await fixture.begin()]
        await callboard.publish(orderPaidEvent(), { tx: open.tx })
        await callboard.publish(orderPaidEvent({ subject: { type: 'order', id: 'ord_2' } }), { tx: other.tx })
        const erasing =
          verb === 'person'
            ? watching.erasure.person({ accountId: 'acc', personId: 'per_1' })
            : watching.erasure.before({ horizon: new Date(Date.now() + 60_000) })
        await looked.opened
        await callboard.publish(orderPaidEvent(), { tx: open.tx })
        await open.commit()
        await other.rollback()
        const counts = { events: 4, late: 2, responses: 0 }
        expect(await erasing).toMatchObject({ ...counts, accounts: [{ ...counts }], openTransactions: 0 })
        expect(JSON.stringify(await envelopes(callboard, { personalData: true }))).not.toMatch(/Ada|ada@example/)
      },
    )

    it('reports how many transactions were still open when an erasure stopped waiting for them', async ({ world }) => {
      const { callboard, fixture } = world
      await world.publish()
      const open = await fixture.begin()
      await callboard.publish(orderPaidEvent(), { tx: open.tx })
      const person = { accountId: 'acc', personId: 'per_1', waitMs: 30 }
      expect(await callboard.erasure.person(person)).toMatchObject({ events: 1, late: 0, openTransactions: 1 })
      await open.commit()
      expect(await callboard.erasure.person(person)).toMatchObject({ events: 1, late: 0, openTransactions: 0 })
    })
  },
})
