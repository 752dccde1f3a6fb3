import { fork } from 'node:child_process'
import { once } from 'node:events'
import { CallboardError, type Envelope } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import type { Store } from '@callboard/core/store'
import { type RunOptions, type RunReport, runUntilIdle } from '@callboard/delivery'
import { createPostgresStore } from '@callboard/store-postgres'
import type { Answer } from '@callboard/testbed'
import { describe, expect } from 'vitest'
import { envelopes, orderPaidEvent, thrownBy } from './arrange.ts'
import { describeDeliveries, gate, idsOf, type World } from './delivery-it.ts'
import { RING, type SampleCallboard } from './on-each-store.ts'
import { createTransactionPool } from './transaction-pool.ts'

const HOUR_MS = 3_600_000
const NOTHING = { sequenced: 0, delivered: 0, failed: 0, exhausted: 0, gone: 0, expired: 0, postponed: [] }
const FAILING: Answer = { status: 500 }

/** Runs with a deadline that no test should reach. */
function run(
  { receiver, callboard }: World<unknown>,
  options?: Partial<RunOptions>,
  facade: SampleCallboard = callboard,
): Promise<RunReport> {
  return runUntilIdle(facade, { deadlineMs: 60_000, extraCaCertificates: [receiver.ca], pollMs: 5, ...options })
}

/** Runs again and again until nothing is scheduled, and returns how many deliveries succeeded. */
async function runUntilNothingIsLeft(...[world, options, facade]: Parameters<typeof run>): Promise<number> {
  let delivered = 0
  for (;;) {
    const report = await run(world, options, facade)
    delivered += report.delivered
    if (report.nextInMs === undefined) return delivered
  }
}

/** Returns a function that wraps a store: after its first `attend`, each worker waits until all have attended. */
function meetingPoint(workers: number): (store: Store<unknown>) => Store<unknown> {
  const { opened, open } = gate()
  const met = new Set<string>()
  return (store) => ({
    ...store,
    deliveries: {
      ...store.deliveries,
      async attend(worker) {
        const takeover = await store.deliveries.attend(worker)
        if (met.add(worker.id).size >= workers) open()
        await opened
        return takeover
      },
    },
  })
}

/** Runs on these stores at the same time. Expects every event to be delivered exactly once, in its subject's order. */
async function expectNothingTwice(world: World<unknown>, stores: readonly Store<unknown>[]): Promise<void> {
  const paths = [0, 1, 2].map(() => world.path())
  for (const path of paths)
    await world.callboard.subscriptions.setOrdering({ ...(await world.subscribe(path)), ordering: 'subject' })
  const subjects = Array.from({ length: 10 }, (_, index) => `ord_${index}`)
  const published = new Map<string, string[]>(subjects.map((id) => [id, []]))
  for (let round = 0; round < 20; round++) {
    const events = subjects.map((id) => orderPaidEvent({ subject: { type: 'order', id } }))
    for (const { id, subject } of await world.callboard.publishMany(events)) published.get(subject.id)?.push(id)
  }
  const meet = meetingPoint(stores.length)
  // If the machine is too slow to connect in time, the next run retries soon.
  const options = { retrySchedule: Array.from({ length: 20 }, () => 100) }
  const delivered = await Promise.all(
    stores.map((store) => runUntilNothingIsLeft(world, options, world.open({ store: meet(store) }))),
  )
  expect(delivered.reduce((sum, each) => sum + each, 0)).toBe(600)
  for (const path of paths) {
    const order = world.receiver.at(path).map(({ body }): Envelope => JSON.parse(body.toString()))
    expect(order).toHaveLength(200)
    for (const [subject, ids] of published)
      expect(order.filter((event) => event.subject.id === subject).map(({ id }) => id)).toEqual(ids)
  }
  expect(world.errors).toEqual([])
}

describeDeliveries('a run until idle', {
  any(it) {
    it('delivers everything that is due, reports it, and leaves nothing scheduled', async ({ world }) => {
      const [healthy, gone] = [world.path('healthy'), world.path('gone')]
      const ref = await world.subscribe(healthy)
      await world.subscribe(gone)
      world.receiver.answer(gone, { status: 410 })
      const ids = await world.publish(30)
      const report = await run(world)
      const left = { ...NOTHING, sequenced: 30, delivered: 30, gone: world.receiver.at(gone).length }
      expect(report).toEqual({ ...left, end: 'idle', nextInMs: undefined })
      expect(new Set(idsOf(world.receiver.at(healthy)))).toEqual(new Set(ids))
      expect(await world.attempts(ref)).toHaveLength(30)
      expect(world.disabled).toMatchObject([{ reason: 'gone' }])
      expect(await run(world)).toEqual({ ...NOTHING, end: 'idle', nextInMs: undefined })
    })

    it('delivers events that are published while it waits for a response', async ({ world }) => {
      const [slow, quick] = [world.path('slow'), world.path('quick')]
      const { opened, open } = gate()
      for (const path of [slow, quick]) await world.subscribe(path)
      world.receiver.answer(slow, { after: opened })
      await world.publish()
      const running = run(world)
      await Promise.all([slow, quick].map((path) => world.receiver.received(path)))
      await world.publish()
      await world.receiver.received(quick, 2)
      open()
      expect(await running).toMatchObject({ sequenced: 2, delivered: 4, nextInMs: undefined })
    })

    it('says when the next retry is due, and a later run makes that attempt', async ({ world }) => {
      const path = world.path()
      const ref = await world.subscribe(path)
      world.receiver.answer(path, FAILING, {})
      await world.publish()
      const options = { retrySchedule: [600_000] }
      const first = await run(world, options)
      expect(first).toMatchObject({ end: 'idle', failed: 1, delivered: 0 })
      // A retry delay varies by a fifth.
      expect(first.nextInMs).toBeGreaterThan(400_000)
      expect(first.nextInMs).toBeLessThanOrEqual(720_000)
      expect(await run(world, options)).toMatchObject({ ...NOTHING, end: 'idle', nextInMs: expect.any(Number) })
      await world.fixture.advance(720_000)
      expect(await run(world, options)).toMatchObject({ end: 'idle', delivered: 1, nextInMs: undefined })
      expect(await world.attempts(ref)).toMatchObject([
        { number: 1, outcome: 'failed' },
        { number: 2, outcome: 'delivered' },
      ])
    })

    it('says when the breaker allows the next attempt', async ({ world }) => {
      const path = world.path()
      await world.subscribe(path)
      world.receiver.answer(path, FAILING)
      await world.publish(20)
      const { end, failed, nextInMs } = await run(world, { retrySchedule: [600_000], perSubscription: 5 })
      expect([end, failed]).toEqual(['idle', 5])
      // The breaker's first pause is 5 s, and varies by a fifth.
      expect(nextInMs).toBeGreaterThan(0)
      expect(nextInMs).toBeLessThanOrEqual(6_000)
    })

    it('ends deliveries after their last attempt, and calls the hook', async ({ world }) => {
      const path = world.path()
      const exhausted: string[] = []
      const callboard = world.open({ onDeliveryExhausted: ({ eventId }) => exhausted.push(eventId) })
      await world.subscribe(path)
      world.receiver.answer(path, FAILING)
      const ids = await world.publish()
      expect(await run(world, { retrySchedule: [] }, callboard)).toMatchObject({ failed: 0, exhausted: 1 })
      expect(exhausted).toEqual(ids)
    })

    describe('whose deadline passes', () => {
      it('lets the attempt in flight end, and leaves the other deliveries to the next run', async ({ world }) => {
        const path = world.path()
        const ref = await world.subscribe(path)
        world.receiver.answer(path, 'hold')
        const [first, second] = await world.publish(2)
        // The run takes new work only for 2 s, and the attempt ends after that.
        const options = { deadlineMs: 6_000, attemptDeadlineMs: 2_000, perSubscription: 1, retrySchedule: [600_000] }
        expect(await run(world, options)).toEqual({
          ...NOTHING,
          end: 'deadline',
          nextInMs: 0,
          sequenced: 2,
          failed: 1,
        })
        world.receiver.answer(path, {})
        expect(await run(world, options)).toMatchObject({ end: 'idle', delivered: 1 })
        await world.fixture.advance(720_000)
        expect(await run(world, options)).toMatchObject({ delivered: 1, nextInMs: undefined })
        expect(await world.attempts(ref)).toMatchObject([
          { eventId: first, number: 1, reason: 'timeout' },
          { eventId: second, number: 1, outcome: 'delivered' },
          { eventId: first, number: 2, outcome: 'delivered' },
        ])
      })

      it('aborts an attempt that does not end, without counting it, and the next run repeats it', async ({ world }) => {
        const path = world.path()
        const ref = await world.subscribe(path)
        await world.publish()
        const report = await run(world, {
          deadlineMs: 5_000,
          attemptDeadlineMs: 1_000,
          transport: {
            send: (_, signal) =>
              new Promise((end) => {
                signal?.addEventListener('abort', () => end({ kind: 'failed', reason: 'aborted', durationMs: 3_000 }))
              }),
            close() {},
          },
        })
        expect(report).toEqual({ ...NOTHING, end: 'deadline', nextInMs: 0, sequenced: 1 })
        expect(await world.attempts(ref)).toEqual([])
        expect(await run(world)).toMatchObject({ end: 'idle', delivered: 1 })
        expect(await world.attempts(ref)).toMatchObject([{ number: 1, outcome: 'delivered' }])
      })
    })

    describe('that is stopped by its signal', () => {
      it('lets the attempts in flight end, and starts no others', async ({ world }) => {
        const path = world.path()
        const controller = new AbortController()
        const { opened, open } = gate()
        await world.subscribe(path)
        world.receiver.answer(path, { after: opened })
        await world.publish(2)
        const running = run(world, { signal: controller.signal, perSubscription: 1 })
        await world.receiver.received(path)
        controller.abort()
        open()
        expect(await running).toMatchObject({ end: 'stopped', nextInMs: 0, delivered: 1 })
        expect(await run(world)).toMatchObject({ end: 'idle', delivered: 1 })
      })

      it('does nothing if the signal has already aborted', async ({ world }) => {
        await world.subscribe(world.path())
        await world.publish()
        const report = await run(world, { signal: AbortSignal.abort() })
        expect(report).toEqual({ ...NOTHING, end: 'stopped', nextInMs: 0 })
      })
    })

    describe('on its store', () => {
      it('attends while it runs, leaves when it ends, and never listens', async ({ world }) => {
        const path = world.path()
        const { opened, open } = gate()
        await world.subscribe(path)
        world.receiver.answer(path, { after: opened })
        await world.publish()
        const { store } = world.tap
        const workers = async () => (await store.survey(HOUR_MS)).work?.workers.map(({ name }) => name)
        let listening = 0
        const listen = () => {
          listening++
          return { restMs: () => undefined, stop: () => undefined }
        }
        const callboard = world.open({
          store: { ...store, deliveries: { ...store.deliveries, listenForWork: listen } },
        })
        const running = run(world, { name: 'cron' }, callboard)
        await world.receiver.received(path)
        expect(await workers()).toEqual(['cron'])
        open()
        await running
        expect(await workers()).toEqual([])
        expect(listening).toBe(0)
      })

      it('takes over from a run that was killed', async ({ world }) => {
        const path = world.path()
        const ref = await world.subscribe(path)
        await world.publish()
        const { deliveries } = world.fixture.store
        await deliveries.attend({ id: 'killed', name: 'killed', details: undefined })
        await deliveries.sequence(10)
        const { lanes } = await deliveries.due({ limit: 10, after: undefined })
        await deliveries.lease({
          worker: 'killed',
          call: 1,
          lanes: lanes.map((lane) => ({ ...lane, room: 1 })),
          leaseMs: HOUR_MS,
        })
        const early = await run(world)
        expect(early).toMatchObject({ end: 'idle', delivered: 0 })
        expect(early.nextInMs).toBeGreaterThan(HOUR_MS / 2)
        await world.fixture.advance(5_000)
        expect(await run(world)).toMatchObject({ delivered: 1, nextInMs: undefined })
        expect(await world.attempts(ref)).toMatchObject([{ number: 1, outcome: 'delivered' }])
      })

      it('removes data that is past its retention, unless retentionMs is 0', async ({ world }) => {
        const path = world.path()
        await world.subscribe(path)
        const callboard = world.open({ eventHorizonMs: 24 * HOUR_MS, retention: { eventsMs: 96 * HOUR_MS } })
        const [old] = await world.publish()
        await run(world, { retentionMs: 0 }, callboard)
        await world.fixture.advance(97 * HOUR_MS)
        const [recent] = await world.publish()
        await run(world, { retentionMs: 0 }, callboard)
        expect((await envelopes(world.callboard)).map(({ id }) => id)).toEqual([recent, old])
        await run(world, { retentionMs: HOUR_MS }, callboard)
        expect((await envelopes(world.callboard)).map(({ id }) => id)).toEqual([recent])
        expect(idsOf(world.receiver.at(path))).toEqual([old, recent])
      })

      it('tries again after errors, and reports them', async ({ world }) => {
        const path = world.path()
        await world.subscribe(path)
        await world.publish()
        const failTwice = () => {
          let calls = 0
          return () => {
            if (++calls <= 2) throw new CallboardError('UNAVAILABLE', 'The store cannot be reached at the moment.')
          }
        }
        for (const verb of ['sequence', 'due', 'settle'] as const) world.tap.before(verb, failTwice())
        expect(await run(world)).toMatchObject({ end: 'idle', delivered: 1, nextInMs: undefined })
        expect(world.receiver.at(path)).toHaveLength(1)
        expect(world.errors).toHaveLength(6)
      })

      it('delivers the events that it leased in a call whose answer was lost', async ({ world }) => {
        const path = world.path()
        await world.subscribe(path)
        await world.publish()
        let answers = 0
        world.tap.after('lease', () => {
          if (++answers === 1) throw new CallboardError('UNAVAILABLE', 'The store cannot be reached at the moment.')
        })
        expect(await run(world)).toMatchObject({ end: 'idle', delivered: 1, nextInMs: undefined })
      })

      it('does not report that it is idle if it could not look for work', async ({ world }) => {
        world.tap.before('due', () => {
          throw new CallboardError('UNAVAILABLE', 'The store cannot be reached at the moment.')
        })
        const report = await run(world, { deadlineMs: 5_000, attemptDeadlineMs: 2_000 })
        expect(report).toEqual({ ...NOTHING, end: 'deadline', nextInMs: 0 })
      })

      it('rejects if the store is out of reach at its start', async ({ world }) => {
        const ready = async (): Promise<never> => {
          throw new CallboardError('UNAVAILABLE', 'The store cannot be reached at the moment.')
        }
        const callboard = world.open({ store: { ...world.tap.store, ready } })
        expect(await thrownBy(run(world, {}, callboard))).toMatchObject({ code: 'UNAVAILABLE' })
      })
    })

    it('can run at the same time as another run: each delivery is sent once, in the order of its subject', {
      timeout: 120_000,
    }, async ({ world }) => {
      await expectNothingTwice(world, [world.fixture.store, world.fixture.store])
    })

    it.for<[string, RunOptions]>([
      ['a deadline under 5 s', { deadlineMs: 4_999 }],
      ['a deadline over an hour', { deadlineMs: HOUR_MS + 1 }],
      ['attempts that would leave no time for work', { deadlineMs: 17_999, attemptDeadlineMs: 15_000 }],
      ['attempts over 30 s', { deadlineMs: HOUR_MS, attemptDeadlineMs: 30_001 }],
      ['an option that a worker refuses', { deadlineMs: 60_000, lanes: 0 }],
    ])('refuses %s', async ([, options], { world }) => {
      expect(await thrownBy(runUntilIdle(world.callboard, options))).toMatchObject({ code: 'CONFIGURATION_INVALID' })
    })
  },

  pglite(it) {
    it('delivers everything that is due', async ({ world }) => {
      const path = world.path()
      await world.subscribe(path)
      const ids = await world.publish(20)
      expect(await run(world)).toMatchObject({ end: 'idle', sequenced: 20, delivered: 20, nextInMs: undefined })
      expect(new Set(idsOf(world.receiver.at(path)))).toEqual(new Set(ids))
    })
  },

  postgres(it) {
    it('leaves nothing that keeps its process alive', async ({ world }) => {
      const path = world.path()
      await world.subscribe(path)
      await world.publish(20)
      const { url, schema } = world.fixture
      const entry = new URL('./run-process.ts', import.meta.url)
      const k1 = Buffer.from(RING.k1).toString('base64')
      const child = fork(entry, [url, schema, world.receiver.ca, k1], { execArgv: [] })
      const [report] = await once(child, 'message')
      expect(report).toMatchObject({ end: 'idle', delivered: 20 })
      // The process closes only its pool and its channel to this process.
      expect(await once(child, 'exit')).toEqual([0, null])
    })

    it('can run at the same time as another run on a second pool', { timeout: 120_000 }, async ({ world }) => {
      await expectNothingTwice(world, [world.fixture.another(), world.fixture.another()])
      await expectNoLeases(world)
    })

    it('needs no session: it works behind a pooler in transaction mode, even at the same time as another run', {
      timeout: 120_000,
    }, async ({ world }) => {
      const { url, schema } = world.fixture
      const pooler = await createTransactionPool(url)
      try {
        const store = () => createPostgresStore({ pool: pooler.pool, schema, prepare: false, notify: false })
        await expectNothingTwice(world, [store(), store()])
        await expectNoLeases(world)
        expect((await engineOf(world.callboard).store.survey(HOUR_MS)).work?.workers).toEqual([])
      } finally {
        await pooler.end()
      }
    })
  },
})

async function expectNoLeases({ fixture }: World<{ query: (text: string) => Promise<{ rows: object[] }> }>) {
  const { rows } = await fixture.query(`select count(*)::int as leased from callboard.lanes where state = 'leased'`)
  expect(rows).toEqual([{ leased: 0 }])
}
