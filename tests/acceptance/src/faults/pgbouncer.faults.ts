import { engineOf } from '@callboard/core/engine'
import { runUntilIdle, startWorker } from '@callboard/delivery'
import { type PgBouncer, startPgBouncer } from '@callboard/testbed'
import { Client } from 'pg'
import { expect, onTestFinished } from 'vitest'
import { orderPaidEvent } from '../arrange.ts'
import { describeFaults, type FaultWorld } from './fault-world.ts'

async function bounce({ url }: FaultWorld, mode: 'session' | 'transaction'): Promise<PgBouncer> {
  const bouncer = await startPgBouncer(url, mode)
  onTestFinished(() => bouncer.stop())
  return bouncer
}

const EVENTS = 200

describeFaults('PgBouncer', (it) => {
  it.for([
    ['transaction', {}],
    ['session', {}],
    ['session', { prepare: true, notify: true }],
  ] as const)('in %s mode, with the options %j, passes everything on', async ([mode, store], { world }) => {
    const bouncer = await bounce(world, mode)
    const connectionString = bouncer.through(world.url)
    const { path } = await world.subscribe()
    const { callboard } = world.open({ pool: { connectionString }, store })
    const workers = await Promise.all([
      world.work({ url: connectionString, store }),
      world.work({ url: connectionString, store }),
    ])
    for (let count = 0; count < EVENTS; count += 10)
      await Promise.all(
        Array.from({ length: 10 }, (_, n) => callboard.publish(orderPaidEvent({ subject: subject(n) }))),
      )
    await world.receiver.received(path, EVENTS)
    await world.quiet()
    expect((await world.me(callboard)).status).toBe(200)
    const { findings } = await engineOf(callboard).store.survey(1_000)
    expect(findings).toContainEqual(expect.objectContaining({ check: 'pooler', verdict: 'ok' }))
    for (const worker of workers) {
      expect((await worker.look()).health.ok).toBe(true)
      expect(worker.errors).toEqual([])
    }
    expect(await world.invariants({ survivors: workers })).toMatchObject({ owed: EVENTS, delivered: EVENTS })
  })

  it('in transaction mode, joins a transaction, and refuses a client without one', async ({ world }) => {
    const connectionString = (await bounce(world, 'transaction')).through(world.url)
    const { callboard } = world.open({ pool: { connectionString } })
    const client = new Client({ connectionString })
    await client.connect()
    onTestFinished(() => client.end())
    const event = orderPaidEvent()
    await expect(callboard.publish(event, { tx: client })).rejects.toMatchObject({ code: 'CONFIGURATION_INVALID' })
    const ids: string[] = []
    for (const end of ['commit', 'rollback']) {
      await client.query('begin')
      ids.push((await callboard.publish(event, { tx: client })).id)
      await client.query(end)
    }
    const found = ids.map((id) => callboard.events.find({ accountId: 'acc', id }))
    expect(await Promise.all(found)).toEqual([expect.objectContaining({ id: ids[0] }), undefined])
  })

  it('in transaction mode, lets another worker take over from a dead worker', async ({ world }) => {
    const url = (await bounce(world, 'transaction')).through(world.url)
    const { path } = await world.subscribe()
    const first = await world.work({ url, strikes: [{ at: 'before send', does: 'kill' }] })
    await world.publish()
    await first.ended
    const second = await world.work({ url, worker: { deadlineMs: 30_000, leaseMs: 3_600_000 } })
    await world.receiver.received(path)
    await world.quiet()
    expect(await world.invariants({ survivors: [second], crashes: 1 })).toMatchObject({ delivered: 1 })
  })

  it('in transaction mode, lets lanes be leased again if the answer to their lease was lost', async ({ world }) => {
    // The connection between PgBouncer and the server ends, so PgBouncer also ends the worker's connection.
    const bouncer = await startPgBouncer(world.proxy.through(world.url), 'transaction')
    onTestFinished(() => bouncer.stop())
    const { path } = await world.subscribe()
    await world.publish()
    await engineOf(world.callboard).store.deliveries.sequence(1)
    const cut = world.proxy.cutWhen('server', (bytes) => bytes.includes('fingerprints'))
    const worker = await world.work({
      url: bouncer.through(world.url),
      worker: { deadlineMs: 30_000, leaseMs: 3_600_000 },
    })
    await cut
    await world.receiver.received(path)
    await world.quiet()
    expect(await world.invariants({ survivors: [worker] })).toMatchObject({ delivered: 1, repeated: 0 })
  })

  it('in transaction mode, lets two concurrent runs deliver everything once', async ({ world }) => {
    const connectionString = (await bounce(world, 'transaction')).through(world.url)
    const { path } = await world.subscribe()
    const facades = [world.open({ pool: { connectionString } }), world.open({ pool: { connectionString } })]
    await world.publish(EVENTS)
    const options = { deadlineMs: 30_000, extraCaCertificates: [world.receiver.ca] }
    const reports = await Promise.all(facades.map(({ callboard }) => runUntilIdle(callboard, options)))
    expect(reports.map(({ end }) => end)).toEqual(['idle', 'idle'])
    expect(reports.reduce((sum, { delivered }) => sum + delivered, 0)).toBe(EVENTS)
    await world.receiver.received(path, EVENTS)
    expect(await world.invariants()).toMatchObject({ owed: EVENTS, delivered: EVENTS, repeated: 0 })
  })

  it('in transaction mode, makes prepared statements fail with an error that names the option to change', async ({
    world,
  }) => {
    const connectionString = (await bounce(world, 'transaction')).through(world.url)
    const { callboard } = world.open({ pool: { connectionString }, store: { prepare: true } })
    // Each of several clients prepares the statement on whichever connection it gets.
    const calls = Array.from({ length: 50 }, () => callboard.accounts.find({ id: 'acc' }))
    const refused = (await Promise.allSettled(calls)).flatMap((call) => (call.status === 'rejected' ? call.reason : []))
    expect(refused.length).toBeGreaterThan(0)
    for (const error of refused)
      expect(error).toMatchObject({
        code: 'CONFIGURATION_INVALID',
        message: expect.stringContaining('Set prepare: false'),
      })
  })

  it('refuses a start-up parameter, and the worker’s error names the parameter', async ({ world }) => {
    const connectionString = (await bounce(world, 'transaction')).through(world.url)
    const { callboard } = world.open({ pool: { connectionString, statement_timeout: 10_000 } })
    await expect(startWorker(callboard)).rejects.toMatchObject({
      code: 'CONFIGURATION_INVALID',
      message: expect.stringContaining('start-up parameter statement_timeout'),
    })
  })
})

function subject(n: number): { type: string; id: string } {
  return { type: 'order', id: `ord_${n}` }
}
