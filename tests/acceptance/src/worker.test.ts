import type { LookupAddress, LookupOptions } from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import tls, { type ConnectionOptions } from 'node:tls'
import { CallboardError, createCallboard, defineCatalog, type LogEntry } from '@callboard/core'
import { startWorker, type WorkerOptions } from '@callboard/delivery'
import { verify } from '@callboard/signature'
import type { Answer, Received } from '@callboard/testbed'
import { describe, expect } from 'vitest'
import { actOn } from './act-on.ts'
import { newCaller, orderPaidEvent, thrownBy } from './arrange.ts'
import { describeDeliveries, gate, idsOf, type World } from './delivery-it.ts'
import { RING } from './on-each-store.ts'
import { checkedIn } from './sample-catalog.ts'

const outOfReach = (): never => {
  throw new CallboardError('UNAVAILABLE', 'The store cannot be reached at the moment.')
}

/** Starts a worker with one slot and one event for each subscription. Nothing is settled until `open` is called. */
async function workUnsettled(world: World<unknown>, subscriptions: number) {
  const paths = Array.from({ length: subscriptions }, () => world.path())
  for (const path of paths) await world.subscribe(path)
  const { opened, open } = gate()
  world.tap.before('settle', () => opened)
  await world.publish()
  await world.work({ lanes: 1, slowLanes: 2, patienceMs: 60_000 })
  return { paths, open, served: () => paths.filter((path) => world.receiver.at(path).length > 0) }
}

describeDeliveries('a worker', {
  any(it) {
    describe('with many subscriptions', () => {
      it('signs by the store’s clock if its own is an hour off, and says so once', async ({ world }) => {
        const path = world.path()
        const { secret } = await world.subscribe(path)
        const late = world.open({ now: () => Date.now() - 3_600_000 })
        const worker = await world.work({ name: 'late' }, late)
        await world.publish()
        const [{ headers, body }] = (await world.receiver.received(path)) as [Received]
        await verify({ headers, body, secret })
        expect(worker.health().clockOffMs).toBe(3_600_000)
        const message = expect.stringContaining("The clock of worker late is 3600 s behind the store's.")
        expect(world.errors).toMatchObject([{ code: 'CONFIGURATION_INVALID', message }])
      })

      it('is not delayed by a subscription whose target hangs', async ({ world }) => {
        const [hanging, healthy] = [world.path('hanging'), world.path('healthy')]
        await world.subscribe(hanging)
        await world.subscribe(healthy)
        world.receiver.answer(hanging, 'hold')
        const ids = await world.publish(100)
        await world.work()
        const received = await world.receiver.received(healthy, 100)
        expect(idsOf(received).sort()).toEqual([...ids].sort())
        await world.receiver.received(hanging)
      })

      it('has at most perSubscription deliveries in flight for each subscription', async ({ world }) => {
        const path = world.path()
        const { opened, open } = gate()
        await world.subscribe(path)
        // Once the host has answered one request, the worker sends several at a time.
        world.receiver.answer(path, {}, { after: opened })
        await world.publish(20)
        await world.work({ perSubscription: 3 })
        await world.receiver.received(path, 4)
        await world.tap.polls()
        expect(world.receiver.at(path)).toHaveLength(4)
        open()
        await world.receiver.received(path, 20)
        expect(world.receiver.mostAtOnce(path)).toBe(3)
      })

      it('serves as many subscriptions as it has slots, and the next when a slot becomes free', async ({ world }) => {
        const paths = Array.from({ length: 3 }, () => world.path())
        const { opened, open } = gate()
        for (const path of paths) {
          await world.subscribe(path)
          world.receiver.answer(path, { after: opened })
        }
        await world.publish()
        const worker = await world.work({ lanes: 2, patienceMs: 60_000 })
        const arrived = () => paths.filter((path) => world.receiver.at(path).length > 0)
        const twoOf = paths.map((left) => paths.filter((path) => path !== left))
        await Promise.race(twoOf.map((two) => Promise.all(two.map((path) => world.receiver.received(path)))))
        await world.tap.polls()
        expect(worker.health().lanes).toBe(2)
        expect(arrived()).toHaveLength(2)
        open()
        await Promise.all(paths.map((path) => world.receiver.received(path)))
      })

      it('frees the slot of a subscription once its deliveries are sent, even before they are settled', async ({
        world,
      }) => {
        const { paths, served, open } = await workUnsettled(world, 2)
        await world.tap.until(() => served().length === 2)
        const found = { served: served(), settled: world.tap.calls('settle') }
        open()
        expect(found).toEqual({ served: paths, settled: 0 })
      })

      it('serves at most two subscriptions per slot while nothing can be settled', async ({ world }) => {
        const { paths, served, open } = await workUnsettled(world, 5)
        await world.tap.until(() => served().length === 2)
        await world.tap.polls(20)
        const found = served()
        open()
        expect(found).toHaveLength(2)
        await Promise.all(paths.map((path) => world.receiver.received(path)))
      })

      it('is not delayed by hanging targets, even if they outnumber the slots', async ({ world }) => {
        const hanging = Array.from({ length: 3 }, () => world.path('hanging'))
        for (const path of hanging) {
          await world.subscribe(path)
          world.receiver.answer(path, 'hold')
        }
        const healthy = world.path('healthy')
        await world.subscribe(healthy)
        await world.publish()
        await world.work({ lanes: 2, patienceMs: 20 })
        await Promise.all([...hanging, healthy].map((path) => world.receiver.received(path)))
      })

      it('lets at most slowLanes subscriptions wait for targets that are new or hang', async ({ world }) => {
        const hanging = Array.from({ length: 7 }, () => world.path('hanging'))
        for (const [index, path] of hanging.entries()) {
          const accountId = `acc-${index}`
          await world.callboard.accounts.create({ id: accountId, name: accountId })
          await world.subscribe(path, await newCaller(world.callboard, { accountId }))
          world.receiver.answer(path, 'hold')
          await world.callboard.publish(orderPaidEvent({ accountId }))
        }
        const worker = await world.work({ slowLanes: 3 })
        await world.tap.until(() => worker.health().lanes >= 3)
        await world.tap.polls(20)
        expect(worker.health().lanes).toBe(3)
        expect(hanging.filter((path) => world.receiver.at(path).length > 0)).toHaveLength(3)
      })

      it('lets one account have at most half of all waiting subscriptions, however many of its targets hang', async ({
        world,
      }) => {
        const hanging = Array.from({ length: 6 }, () => world.path('hanging'))
        for (const path of hanging) {
          await world.subscribe(path)
          world.receiver.answer(path, 'hold')
        }
        await world.publish()
        const worker = await world.work({ slowLanes: 4 })
        await world.tap.until(() => worker.health().lanes >= 2)
        await world.tap.polls(20)
        expect(hanging.filter((path) => world.receiver.at(path).length > 0)).toHaveLength(2)

        const healthy = world.path('healthy')
        await world.callboard.accounts.create({ id: 'other', name: 'Other' })
        await world.subscribe(healthy, await newCaller(world.callboard, { accountId: 'other' }))
        await world.callboard.publish(orderPaidEvent({ accountId: 'other' }))
        await world.receiver.received(healthy)
      })

      it.for<[string, Answer, WorkerOptions]>([
        // Every attempt takes longer than 0 ms, so the target counts as slow.
        ['was slow', {}, { slowAfterMs: 0 }],
        ['failed', { status: 500 }, {}],
      ])('serves a subscription whose target %s in a slot for slow targets', async ([, answer, options], { world }) => {
        const path = world.path()
        await world.subscribe(path)
        world.receiver.answer(path, answer)
        const leasedBy = (slow: boolean): Promise<void> =>
          world.tap.next('due', (_, { lanes }) => lanes.some((lane) => lane.slow === slow))
        const first = leasedBy(false)
        await world.publish()
        await world.work(options)
        await first
        await world.receiver.received(path)
        const second = leasedBy(true)
        await world.publish()
        await second
      })
    })

    describe('with a target that only fails', () => {
      it('opens the breaker after five failures, probes with one event, and on success sends the others', async ({
        world,
      }) => {
        const path = world.path()
        const ref = await world.subscribe(path)
        world.receiver.answer(path, ...Array.from({ length: 6 }, (): Answer => ({ status: 500 })), {})
        const ids = await world.publish(20)
        await world.work({ retrySchedule: [600_000] })
        const expectOnly = async (count: number): Promise<void> => {
          await world.recorded(ref, count)
          expect(world.receiver.at(path)).toHaveLength(count)
        }
        await expectOnly(5)
        await world.fixture.advance(6_000)
        await expectOnly(6)
        // The next pause is twice as long, and varies by a fifth.
        await world.fixture.advance(6_000)
        await expectOnly(6)
        await world.fixture.advance(6_000)
        await expectOnly(20)
        expect(new Set(idsOf(world.receiver.at(path)))).toEqual(new Set(ids))
        await world.fixture.advance(720_000)
        await expectOnly(26)
      })

      it('retries in time, and delivers new events, although the clock of the store is set back by an hour', async ({
        world,
      }) => {
        const path = world.path()
        const ref = await world.subscribe(path)
        world.receiver.answer(path, { status: 500 }, {})
        const [id] = await world.publish()
        await world.work({ retrySchedule: [600_000] })
        await world.recorded(ref, 1)
        await world.fixture.advance(-3_600_000)
        // The second of these calls begins after the step.
        for (let calls = 0; calls < 2; calls++) await world.tap.next('attend')
        const [other] = await world.publish()
        await world.recorded(ref, 2)
        await world.fixture.advance(720_000)
        await world.recorded(ref, 3)
        expect(idsOf(world.receiver.at(path))).toEqual([id, other, id])
      })

      it('does not open the breaker for one event that fails repeatedly', async ({ world }) => {
        const path = world.path()
        await world.subscribe(path)
        const [failing] = await world.publish()
        world.receiver.answer(path, ({ headers }) => ({ status: headers['webhook-id'] === failing ? 500 : 200 }))
        await world.work({ retrySchedule: Array.from({ length: 8 }, () => 0) })
        await world.receiver.received(path, 9)
        const [fresh] = await world.publish()
        expect(idsOf(await world.receiver.received(path, 10)).at(-1)).toBe(fresh)
      })
    })

    describe('with a delivery that cannot be prepared', () => {
      it('exhausts that delivery after all its attempts, and delivers the others', async ({ world }) => {
        const [corrupt, healthy] = [world.path('corrupt'), world.path('healthy')]
        const ref = await world.subscribe(corrupt)
        await actOn(world.tap.store, ref, {
          act: 'rotate_secret',
          sealedSecret: 'v1.k1.bm90aGluZyBsaWtlIGEgc2VhbGVkIHNlY3JldA',
          overlapMs: 0,
        })
        await world.subscribe(healthy)
        const [id] = await world.publish()
        const worker = await world.work({ retrySchedule: [0, 0] })
        await world.receiver.received(healthy)
        while ((await world.attempts(ref)).length < 3) await world.tap.polls(1)
        await world.tap.polls()
        await worker.stop()
        expect(await world.attempts(ref)).toMatchObject([
          { number: 1, outcome: 'failed', reason: 'unprepared', eventId: id },
          { number: 2, outcome: 'failed', reason: 'unprepared' },
          { number: 3, outcome: 'exhausted', reason: 'unprepared' },
        ])
        expect(world.receiver.at(corrupt)).toEqual([])
        expect(world.errors).toHaveLength(3)
        expect(world.errors[0]).toMatchObject({ code: 'CONFIGURATION_INVALID' })
      })
    })

    describe('that is stopped', () => {
      it('lets deliveries in flight finish, and starts no others', async ({ world }) => {
        const path = world.path()
        const { opened, open } = gate()
        const ref = await world.subscribe(path)
        world.receiver.answer(path, { after: opened }, {})
        const [first] = await world.publish()
        const worker = await world.work()
        await world.receiver.received(path)
        const stopped = worker.stop()
        expect(worker.health().state).toBe('stopping')
        const [second] = await world.publish()
        open()
        await stopped
        expect(worker.health()).toMatchObject({ state: 'stopped', lanes: 0 })
        expect(await world.attempts(ref)).toMatchObject([{ eventId: first, outcome: 'delivered' }])
        expect(world.receiver.at(path)).toHaveLength(1)
        await world.work()
        expect(idsOf(await world.receiver.received(path, 2))).toEqual([first, second])
      })

      it('no longer looks for work', async ({ world }) => {
        const { opened, open } = gate()
        const worker = await world.work()
        let asked = 0
        world.tap.before('lease', () => asked++)
        await world.tap.polls()
        const sequencing = new Promise<void>((begun) => {
          world.tap.before('sequence', async () => {
            begun()
            await opened
          })
        })
        await sequencing
        const before = asked
        const stopped = worker.stop()
        open()
        await stopped
        expect(asked).toBe(before)
      })

      it('releases at once the lanes that it has leased but not started', async ({ world }) => {
        const path = world.path()
        await world.subscribe(path)
        const [leased, stopping] = [gate(), gate()]
        world.tap.after('lease', async () => {
          leased.open()
          await stopping.opened
        })
        await world.publish()
        const worker = await world.work()
        await leased.opened
        const stopped = worker.stop()
        stopping.open()
        await stopped
        expect(world.receiver.at(path)).toEqual([])
        await world.work()
        await world.receiver.received(path)
      })

      it.for([
        ['a second stop', { graceMs: 3_600_000 }],
        ['the end of the grace time', { graceMs: 20 }],
      ] as const)(
        'aborts a delivery that hangs at %s without counting an attempt, and the next worker delivers it',
        async ([what, options], { world }) => {
          const path = world.path()
          const ref = await world.subscribe(path)
          world.receiver.answer(path, 'hold', {})
          const [id] = await world.publish()
          const worker = await world.work(options)
          await world.receiver.received(path)
          const stopped = worker.stop()
          if (what === 'a second stop') await Promise.all([worker.stop(), stopped])
          await stopped
          expect(await world.attempts(ref)).toEqual([])
          const next = await world.work()
          const received = await world.receiver.received(path, 2)
          await next.stop()
          expect(idsOf(received)).toEqual([id, id])
          expect(await world.attempts(ref)).toMatchObject([{ number: 1, outcome: 'delivered' }])
        },
      )

      it('stops when its signal aborts, and at once if the signal has already aborted', async ({ world }) => {
        const controller = new AbortController()
        const worker = await world.work({ signal: controller.signal })
        controller.abort()
        await worker.stopped
        const another = await world.work({ signal: controller.signal })
        await another.stopped
        expect(another.health().state).toBe('stopped')
      })

      it('waits for a store that is out of reach when it starts, and reports that', async ({ world }) => {
        const path = world.path()
        await world.subscribe(path)
        await world.publish()
        let asked = 0
        const { store } = world.tap
        const ready = async () => (++asked <= 2 ? outOfReach() : store.ready())
        await world.work({}, world.open({ store: { ...store, ready } }))
        await world.receiver.received(path)
        expect(world.errors).toMatchObject([{ code: 'UNAVAILABLE' }, { code: 'UNAVAILABLE' }])
      })

      it('gives up waiting for the store when its signal aborts', async ({ world }) => {
        const controller = new AbortController()
        const ready = async () => {
          controller.abort()
          outOfReach()
        }
        const facade = world.open({ store: { ...world.tap.store, ready } })
        const worker = await world.work({ signal: controller.signal }, facade)
        await worker.stopped
        expect(worker.health().state).toBe('stopped')
      })

      it('stops even if the store is out of reach and a lane is not settled', async ({ world }) => {
        const path = world.path()
        await world.subscribe(path)
        await world.publish()
        world.tap.before('settle', outOfReach)
        const worker = await world.work({ graceMs: 20 })
        await world.receiver.received(path)
        await worker.stop()
        expect(world.errors[0]).toMatchObject({ code: 'UNAVAILABLE' })
      })
    })

    describe('whose store fails', () => {
      it('records sent deliveries once the store works again, and sends nothing twice', async ({ world }) => {
        const path = world.path()
        const ref = await world.subscribe(path)
        let failures = 0
        world.tap.before('settle', () => ++failures <= 3 && outOfReach())
        await world.publish(5)
        await world.work()
        await world.recorded(ref, 5)
        expect(world.receiver.at(path)).toHaveLength(5)
        expect(world.errors).toHaveLength(3)
      })

      it('sends at once the deliveries that it leased in a call whose answer was lost, and none of them twice', async ({
        world,
      }) => {
        const path = world.path()
        const ref = await world.subscribe(path)
        let answers = 0
        world.tap.after('lease', () => ++answers === 1 && outOfReach())
        const ids = await world.publish(3)
        await world.work({ leaseMs: 3_600_000 })
        await world.recorded(ref, ids.length)
        expect(idsOf(world.receiver.at(path)).sort()).toEqual(ids.sort())
        expect((await world.attempts(ref)).map(({ number }) => number)).toEqual([1, 1, 1])
        expect(world.errors).toHaveLength(1)
        expect(world.logs).toMatchObject([{ level: 'warn', fields: { lanes: 1 } }])
      })

      it('settles the other lanes if one settlement can never be written', async ({ world }) => {
        const [poisoned, healthy] = [world.path('poisoned'), world.path('healthy')]
        const { opened, open } = gate()
        const poison = await world.subscribe(poisoned)
        const ref = await world.subscribe(healthy)
        world.tap.before('settle', async (settlements) => {
          await opened
          if (settlements.some(({ lease }) => lease.id === poison.id)) throw new Error('cannot be written')
        })
        await world.publish()
        const worker = await world.work()
        await Promise.all([poisoned, healthy].map((path) => world.receiver.received(path)))
        open()
        await worker.stop()
        expect(await world.attempts(ref)).toMatchObject([{ outcome: 'delivered' }])
        expect(await world.attempts(poison)).toEqual([])
      })

      it('reports the failure in its health, and recovers by itself', async ({ world }) => {
        const path = world.path()
        await world.subscribe(path)
        const worker = await world.work()
        await world.tap.polls()
        expect(worker.health()).toMatchObject({ state: 'running', ok: true, lanes: 0 })
        let reached = 0
        const { opened, open } = gate()
        world.tap.before('sequence', () => {
          if (++reached === 3) open()
          if (reached <= 3) outOfReach()
        })
        const contact = world.tap.next('sequence')
        await opened
        expect(worker.health()).toMatchObject({ state: 'running', ok: false })
        await contact
        await world.publish()
        await world.receiver.received(path)
        expect(worker.health().ok).toBe(true)
        expect(world.errors).toHaveLength(3)
      })

      it('delivers sequenced events even while other events cannot be sequenced', async ({ world }) => {
        const path = world.path()
        await world.subscribe(path)
        world.receiver.answer(path, { status: 500 }, {})
        const worker = await world.work({ retrySchedule: [0] })
        world.tap.after('sequence', () => {
          throw new Error('cannot be sequenced')
        })
        const [sequenced] = await world.publish()
        await world.receiver.received(path, 2)
        expect(worker.health().ok).toBe(false)
        await world.publish()
        world.tap.after('sequence', () => undefined)
        expect(idsOf(await world.receiver.received(path, 3)).slice(0, 2)).toEqual([sequenced, sequenced])
      })

      it('releases a lane whose subscription it could not check, and serves that lane soon', async ({ world }) => {
        const path = world.path()
        await world.subscribe(path)
        let checks = 0
        world.tap.before('checkLeases', () => ++checks === 1 && outOfReach())
        let aged = 0
        // Makes the first lease look so old that the worker checks the lane again before it sends.
        world.tap.after('lease', () => {
          aged = 850
        })
        await world.publish()
        await world.work({ elapsed: () => performance.now() + aged })
        await world.receiver.received(path)
        expect(checks).toBeGreaterThanOrEqual(1)
      })
    })

    describe('that loses a lease', () => {
      it('logs the loss, and records nothing that it sent under that lease', async ({ world }) => {
        const path = world.path()
        const { opened, open } = gate()
        const ref = await world.subscribe(path)
        world.receiver.answer(path, { after: opened, status: 500 }, { status: 200 })
        const [id] = await world.publish()
        const worker = await world.work({ name: 'late' })
        await world.receiver.received(path)
        await world.fixture.advance(30_000)
        expect(idsOf(await world.receiver.received(path, 2))).toEqual([id, id])
        await world.recorded(ref, 1)
        open()
        await worker.stop()
        expect(await world.attempts(ref)).toMatchObject([{ number: 1, outcome: 'delivered' }])
        expect(world.logs).toMatchObject([{ level: 'warn', fields: { worker: 'late', leases: 1 } }])
      })
    })

    describe('whose hooks throw', () => {
      it('still delivers, settles and disables', async ({ world }) => {
        const [gone, corrupt, healthy] = [world.path('gone'), world.path('corrupt'), world.path('healthy')]
        const fail = (): never => {
          throw new Error('a fault of the platform’s own')
        }
        const failLater = async (): Promise<void> => fail()
        const callboard = world.open({ onError: fail, onSubscriptionDisabled: failLater })
        const ref = await world.subscribe(gone)
        const unprepared = await world.subscribe(corrupt)
        await actOn(world.tap.store, unprepared, { act: 'rotate_secret', sealedSecret: 'v1.k1.AAAA', overlapMs: 0 })
        const delivered = await world.subscribe(healthy)
        world.receiver.answer(gone, { status: 410 })
        let failures = 0
        world.tap.before('settle', () => ++failures <= 1 && outOfReach())
        await world.publish()
        const worker = await world.work({ retrySchedule: [] }, callboard)
        await Promise.all([gone, healthy].map((path) => world.receiver.received(path)))
        await worker.stop()
        expect(await world.attempts(ref)).toMatchObject([{ outcome: 'gone' }])
        expect(await world.attempts(unprepared)).toMatchObject([{ outcome: 'exhausted', reason: 'unprepared' }])
        expect(await world.attempts(delivered)).toMatchObject([{ outcome: 'delivered' }])
      })
    })

    describe('at its start', () => {
      it.for<[string, WorkerOptions]>([
        ['a lease that a delivery could outlive', { deadlineMs: 10_000, leaseMs: 14_999 }],
        ['a deadline over 30 s', { deadlineMs: 30_001 }],
        ['no lanes', { lanes: 0 }],
        ['a fraction of a delivery in flight', { perSubscription: 1.5 }],
        ['a poll interval that is too long for a timer', { pollMs: 2 ** 31 }],
        ['a grace time that is not a number', { graceMs: Number.NaN }],
        ['an infinite wait', { retrySchedule: [Number.POSITIVE_INFINITY] }],
        ['a negative wait', { retrySchedule: [5_000, -1] }],
      ])('refuses %s', async ([, options], { world }) => {
        expect(await thrownBy(startWorker(world.callboard, options))).toMatchObject({ code: 'CONFIGURATION_INVALID' })
      })

      it('accepts a short deadline, and makes the lease long enough', async ({ world }) => {
        await expect(world.work({ deadlineMs: 100 })).resolves.toBeDefined()
      })

      it('logs event types that subscriptions name but the catalogue no longer has', async ({ world }) => {
        await world.subscribe(world.path())
        const logs: LogEntry[] = []
        const callboard = createCallboard({
          catalog: defineCatalog({ version: '2026-10-01', types: [checkedIn] }),
          store: world.tap.store,
          secretKeys: { current: 'k1', keys: { k1: RING.k1 } },
          log(entry) {
            logs.push(entry)
            throw new Error('a fault of the platform’s own')
          },
        })
        await (await startWorker(callboard)).stop()
        await (await world.work()).stop()
        expect(logs).toMatchObject([{ level: 'warn', fields: { types: 'order.paid' } }])
        expect(world.logs).toEqual([])
      })

      it('refuses a runtime that looks names up by itself', async ({ world }) => {
        const { connect } = tls
        // Like Bun before 1.4, this runtime looks up the name again and ignores the address that it is given.
        tls.connect = ((options: ConnectionOptions) =>
          connect({ ...options, host: options.servername, lookup: lookUpHere })) as typeof connect
        syncBuiltinESMExports()
        try {
          expect(await thrownBy(startWorker(world.callboard))).toMatchObject({ code: 'PINNING_UNSUPPORTED' })
        } finally {
          tls.connect = connect
          syncBuiltinESMExports()
        }
      })
    })
  },

  postgres(it) {
    it('is not healthy while another process blocks the sequencer, although each call succeeds', async ({ world }) => {
      let later = 0
      const worker = await world.work({ elapsed: () => performance.now() + later })
      const other = await world.fixture.begin()
      const lock = `select pg_advisory_xact_lock(hashtextextended('callboard sequencer ${world.fixture.schema}', 0))`
      await (other.tx as { query(text: string): Promise<unknown> }).query(lock)
      await world.publish()
      await world.tap.polls()
      expect(worker.health().ok).toBe(true)
      await world.fixture.advance(20_000)
      await world.tap.until(() => {
        later += 5_000
        return !worker.health().ok
      })
      expect(worker.health().ok).toBe(false)
      await other.rollback()
      await world.tap.until(() => worker.health().ok)
      expect(worker.health().ok).toBe(true)
      expect(world.errors).toEqual([])
    })

    it('refuses a store that is not migrated', async ({ world }) => {
      await world.fixture.query('drop table callboard.migrations')
      expect(await thrownBy(startWorker(world.callboard))).toMatchObject({ code: 'CONFIGURATION_INVALID' })
    })

    it('writes nothing to the database while it has no work', async ({ world }) => {
      const path = world.path()
      await world.subscribe(path)
      await world.publish()
      await world.work()
      await world.receiver.received(path)
      await world.tap.polls()
      const position = async () =>
        (await world.fixture.query('select pg_current_wal_lsn()::text as lsn')).rows[0]?.['lsn']
      const windows: boolean[] = []
      // The server itself writes from time to time, so one window without a write is enough. If the worker wrote, it
      // would write in every window.
      while (windows.length < 5 && !windows.includes(true)) {
        const before = await position()
        await world.tap.polls(20)
        windows.push((await position()) === before)
      }
      expect(windows).toContain(true)
    })

    it('shares the work with other workers: each delivery is sent exactly once', { timeout: 240_000 }, async ({
      world,
    }) => {
      const paths = Array.from({ length: 20 }, (_, index) => world.path(String(index)))
      for (const path of paths) await world.subscribe(path)
      // If the machine is too slow to connect in time, the worker retries soon.
      const retrySchedule = Array.from({ length: 20 }, () => 100)
      await world.work({ retrySchedule })
      await world.work({ retrySchedule }, world.open({ store: world.fixture.another() }))
      const ids: string[] = []
      for (let batch = 0; batch < 5; batch++) ids.push(...(await world.publish(100)))
      await Promise.all(paths.map((path) => world.receiver.received(path, 500)))
      await world.tap.polls()
      for (const path of paths) {
        const received = idsOf(world.receiver.at(path))
        expect(received).toHaveLength(500)
        expect(new Set(received)).toEqual(new Set(ids))
      }
      const { rows } = await world.fixture.query(
        'select count(*)::int as leased from callboard.lanes where state = $1',
        ['leased'],
      )
      expect(rows).toEqual([{ leased: 0 }])
      expect(world.errors).toEqual([])
    })
  },
})

/** Resolves any name to 127.0.0.1. */
function lookUpHere(
  _hostname: string,
  { all }: LookupOptions,
  answer: (error: null, address: string | LookupAddress[], family?: number) => void,
): void {
  if (all === true) answer(null, [{ address: '127.0.0.1', family: 4 }])
  else answer(null, '127.0.0.1', 4)
}
