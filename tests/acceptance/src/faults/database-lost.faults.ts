import { engineOf } from '@callboard/core/engine'
import { Client } from 'pg'
import { expect } from 'vitest'
import { orderPaidEvent, thrownBy } from '../arrange.ts'
import { describeFaults, type FaultWorld } from './fault-world.ts'

/** A worker logs this when it has released lanes that a call without an answer had leased. */
const RELEASED = 'released lanes that were leased by failed calls'

/** Terminates every other backend on the database. */
async function terminate({ query }: FaultWorld): Promise<void> {
  await query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  )
}

describeFaults('lost database connections', (it) => {
  it.for([
    { way: 'before the statement arrives', side: 'client', word: 'settle_lanes' },
    { way: 'before its answer arrives', side: 'server', word: 'disable_reason' },
  ] as const)(
    'F9: a connection ends while an outcome is recorded, $way; the outcome is recorded, or the delivery is sent again',
    async ({ side, word }, { world }) => {
      await world.subscribe()
      const worker = await world.work({
        // Without prepared statements, each statement is sent as plain SQL, which the proxy can recognise.
        store: { prepare: false },
        strikes: [{ at: 'after response', does: 'hold' }],
      })
      const [event] = await world.publish()
      expect(await worker.reached('after response')).toBe(event)
      const cut = world.proxy.cutWhen(side, (bytes) => bytes.includes(word))
      worker.letGo()
      await cut
      await world.quiet()
      expect(await world.invariants({ survivors: [worker], unsettled: 1, crashes: 1 })).toMatchObject({ delivered: 1 })
      expect((await world.query('select outcome from callboard.attempts')).rows).toEqual([{ outcome: 'delivered' }])
    },
  )

  it.for([
    { verb: 'a lease', sequenced: true, word: 'fingerprints' },
    { verb: 'sequencing', sequenced: false, word: '"claims" :' },
  ])(
    'F37: a connection ends before the answer to $verb arrives; the leased lanes do not wait for the end of their lease',
    async ({ sequenced, word }, { world }) => {
      const { path } = await world.subscribe()
      // Without prepared statements, the answer names its columns, which the proxy can recognise.
      const options = { store: { prepare: false }, worker: { deadlineMs: 30_000, leaseMs: 3_600_000 } }
      const cut = world.proxy.cutWhen('server', (bytes) => bytes.includes(word))
      if (sequenced) {
        await world.publish()
        await engineOf(world.callboard).store.deliveries.sequence(1)
      }
      const worker = await world.work(options)
      if (!sequenced) await world.publish()
      await cut
      await world.receiver.received(path)
      await world.quiet()
      expect(worker.logs).toEqual([RELEASED])
      expect(await world.invariants({ survivors: [worker] })).toMatchObject({ delivered: 1, repeated: 0 })
    },
  )

  it('F37: a connection ends while a lease waits for a lock; the lanes that it then leases are released', async ({
    world,
  }) => {
    const { path } = await world.subscribe()
    await world.receiver.answer(path, { status: 500 }, {})
    const worker = await world.work({ worker: { deadlineMs: 30_000, leaseMs: 3_600_000, retrySchedule: [2_000] } })
    await world.publish()
    await expect.poll(async () => (await world.query('select from callboard.attempts')).rows.length).toBe(1)
    const holder = new Client({ connectionString: world.url })
    await holder.connect()
    await holder.query('begin')
    await holder.query('lock table callboard.lanes in exclusive mode')
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    await expect.poll(async () => (await world.query(waiting)).rows.length, { timeout: 5_000 }).toBe(1)
    world.proxy.reset()
    await expect.poll(() => worker.errors.length > 0).toBe(true)
    await holder.query('commit')
    await holder.end()
    await world.receiver.received(path, 2)
    await world.quiet()
    expect(worker.logs).toEqual([RELEASED])
    expect(await world.invariants({ survivors: [worker] })).toMatchObject({ delivered: 1, repeated: 0 })
  })

  it('F10: every backend is terminated repeatedly; nothing crashes, and every event arrives', async ({ world }) => {
    const { path } = await world.subscribe()
    const { callboard } = world.open()
    const workers = await Promise.all([world.work(), world.work()])
    const ROUNDS = 20
    const EVENTS = 10
    let published = 0
    for (let round = 1; round <= ROUNDS; round++) {
      const publishing = Array.from({ length: EVENTS }, async (_, index) => {
        const event = orderPaidEvent({ idempotencyKey: `${round} ${index}` })
        // Publishes as platforms do: repeats the call with the same key until it succeeds.
        for (let attempts = 1; attempts <= 50; attempts++) {
          const failure = await callboard.publish(event).then(
            () => undefined,
            (error: unknown) => error,
          )
          if (failure === undefined) return published++
          expect(failure).toMatchObject({ code: 'UNAVAILABLE' })
        }
        throw new Error('never published')
      })
      await terminate(world)
      await Promise.all(publishing)
    }
    expect(published).toBe(ROUNDS * EVENTS)
    await world.receiver.received(path, published)
    await world.quiet()
    // In each round, every worker can lose the connection on which it settles a batch of ten deliveries.
    const ledger = await world.invariants({
      survivors: workers,
      unsettled: ROUNDS * workers.length * 10,
      crashes: ROUNDS,
    })
    console.info('F10', JSON.stringify(ledger))
    expect(ledger).toMatchObject({ owed: published, delivered: published })
    for (const { errors } of workers) expect(new Set([...errors, 'UNAVAILABLE'])).toEqual(new Set(['UNAVAILABLE']))
  })

  it('F11: the server is down for 20 s after a crash; calls get 503s, and deliveries resume within 10 s', async ({
    world,
  }) => {
    const { path } = await world.subscribe()
    const { callboard } = world.open()
    const worker = await world.work()
    await world.publish(5)
    await world.receiver.received(path, 5)
    await world.quiet()
    const before = await world.publish(20)

    await world.server.crash()
    const up = performance.now() + 20_000
    let asked = 0
    while (performance.now() < up) {
      const response = await world.me(callboard)
      expect(response.status).toBe(503)
      expect(response.headers.get('retry-after')).toBe('1')
      expect(await thrownBy(callboard.publish(orderPaidEvent()))).toMatchObject({ code: 'UNAVAILABLE' })
      asked++
      await new Promise((done) => setTimeout(done, 100))
    }
    expect(asked).toBeGreaterThan(10)
    expect((await worker.look()).health.ok).toBe(false)
    await world.server.start()
    const started = performance.now()
    await expect.poll(async () => (await world.me(callboard)).status, { timeout: 10_000 }).toBe(200)
    await callboard.publish(orderPaidEvent())
    await world.receiver.received(path, 5 + before.length + 1)
    const resumedMs = Math.round(performance.now() - started)
    console.info('F11', JSON.stringify({ asked, resumedMs }))
    expect(resumedMs).toBeLessThan(10_000)
    await world.quiet()
    expect(await world.invariants({ survivors: [worker], unsettled: 20, crashes: 1 })).toMatchObject({ delivered: 26 })
  })

  it('F34: a worker’s idle connections end; the worker still finds work', async ({ world }) => {
    const { path } = await world.subscribe()
    // The worker polls rarely, so that its connections are idle when they end.
    const worker = await world.work({ worker: { pollMs: 500 } })
    for (let round = 1; round <= 3; round++) {
      await terminate(world)
      await world.publish()
      await world.receiver.received(path, round)
    }
    await world.quiet()
    expect(await world.invariants({ survivors: [worker], unsettled: 3, crashes: 3 })).toMatchObject({ delivered: 3 })
  })
})
