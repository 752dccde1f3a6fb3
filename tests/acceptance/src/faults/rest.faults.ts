import { setTimeout as delay } from 'node:timers/promises'
import { startWorker, type WorkerOptions } from '@callboard/delivery'
import { Client, type PoolConfig } from 'pg'
import { expect, onTestFinished } from 'vitest'
import { orderPaidEvent } from '../arrange.ts'
import { describeFaults, type FaultWorld } from './fault-world.ts'

/** A worker that polls runs statements more often than this, in milliseconds, and one that rests does not. */
const RESTING_MS = 400
/** A worker that rests looks every second; the rest is for a busy machine. */
const LOOK_MS = 1_700

/** A client that gets no notices while `isDeaf`, as behind a proxy that drops them. Its connection stays open. */
let isDeaf = false
class DeafClient extends Client {
  override emit(event: string | symbol, ...values: unknown[]): boolean {
    return !(isDeaf && event === 'notification') && super.emit(event, ...values)
  }
}

async function started(world: FaultWorld, worker: WorkerOptions = {}, options: PoolConfig = {}) {
  const { callboard, pool } = world.open({ pool: { connectionString: world.url, ...options } })
  let statements = 0
  let lastAt = performance.now()
  pool.on('acquire', () => {
    statements++
    lastAt = performance.now()
  })
  const { stop } = await startWorker(callboard, { extraCaCertificates: [world.receiver.ca], ...worker })
  onTestFinished(() => stop())
  const rests = () => expect.poll(() => performance.now() - lastAt).toBeGreaterThan(RESTING_MS)
  return { stop, rests, statements: () => statements }
}

/** Starts a worker in this process, and waits until it has learnt that its notices arrive, and rests. */
async function resting(...worker: Parameters<typeof started>) {
  const running = await started(...worker)
  await running.rests()
  return running
}

/** How many statements these workers run in five seconds, apart from those that wait for another worker's end. */
async function statementsIn5s(...workers: readonly { statements(): number }[]): Promise<number> {
  const count = () => workers.reduce((sum, { statements }) => sum + statements(), 0)
  const before = count()
  await delay(5_000)
  return count() - before
}

/** Runs `act`, and returns how many milliseconds later the target has got this number of requests. */
async function took({ receiver }: FaultWorld, path: string, count: number, act: () => Promise<unknown>) {
  await act()
  const since = performance.now()
  await receiver.received(path, count)
  return performance.now() - since
}

/** A publisher whose events nobody gives notice of. */
const unannounced = (world: FaultWorld) => world.open({ store: { notify: false } })

describeFaults('a worker that rests', (it) => {
  it('runs at most seven statements in five seconds, and three workers together at most twice as many', async ({
    world,
  }) => {
    const one = await resting(world)
    expect(await statementsIn5s(one)).toBeLessThanOrEqual(7)
    const all = [one, await resting(world), await resting(world)]
    for (const { rests } of all) await rests()
    expect(await statementsIn5s(...all)).toBeLessThanOrEqual(14)
  })

  it('sends an event whose notice was lost within a second', async ({ world }) => {
    const { path } = await world.subscribe()
    await resting(world)
    const { callboard } = unannounced(world)
    expect(await took(world, path, 1, () => callboard.publish(orderPaidEvent()))).toBeLessThan(LOOK_MS)
  })

  it('sends an event whose notice was lost within two seconds while the worker that looks for all is stalled', async ({
    world,
  }) => {
    const { path } = await world.subscribe()
    const stalled = await world.work({ worker: { name: 'aaa' } })
    await resting(world, { name: 'zzz' })
    stalled.signal('SIGSTOP')
    const { callboard } = unannounced(world)
    expect(await took(world, path, 1, () => callboard.publish(orderPaidEvent()))).toBeLessThan(1_000 + LOOK_MS)
    stalled.signal('SIGCONT')
  })

  it('sends an event within a second if its transaction commits late and without a notice', async ({ world }) => {
    const { path } = await world.subscribe()
    await resting(world)
    const { callboard, pool } = unannounced(world)
    const client = await pool.connect()
    await client.query('begin')
    await callboard.publish(orderPaidEvent({ subject: { type: 'order', id: 'late' } }), { tx: client })
    await world.publish(20)
    await world.receiver.received(path, 20)
    await delay(2_000)
    expect(await took(world, path, 21, () => client.query('commit'))).toBeLessThan(LOOK_MS)
    client.release()
  })

  it('does not rest if its notices never arrive, and looks within a second if they stop', async ({ world }) => {
    const { path } = await world.subscribe()
    isDeaf = true
    const deaf = await started(world, {}, { Client: DeafClient })
    await delay(2_000)
    expect(await statementsIn5s(deaf)).toBeGreaterThan(40)
    await deaf.stop()
    isDeaf = false
    await resting(world, {}, { Client: DeafClient })
    isDeaf = true
    expect(await took(world, path, 1, () => world.publish())).toBeLessThan(LOOK_MS)
  })

  it('finds an event that waits when it listens again after a failover', async ({ world }) => {
    const { path } = await world.subscribe()
    await resting(world, {}, { connectionTimeoutMillis: 2_000 })
    const { callboard } = unannounced(world)
    await callboard.publish(orderPaidEvent())
    await world.server.crash()
    await world.server.start()
    await world.receiver.received(path)
    expect(await took(world, path, 2, () => callboard.publish(orderPaidEvent()))).toBeLessThan(LOOK_MS)
  })

  it('sends a retry on time, whichever worker made the first attempt', async ({ world }) => {
    const { path } = await world.subscribe()
    await world.receiver.answer(path, { status: 500 }, { status: 500 }, {})
    for (let workers = 0; workers < 2; workers++) await resting(world, { retrySchedule: [1_500, 400] })
    await world.publish()
    await world.receiver.received(path, 3)
    const [first, second, third] = await world.receiver.log(path)
    // Delays vary by a fifth.
    expect(second!.at - first!.at).toBeLessThan(1_500 * 1.2 + 150)
    expect(third!.at - second!.at).toBeLessThan(400 * 1.2 + 150)
  })

  it('sends at once what was resent', async ({ world }) => {
    const { path, ...ref } = await world.subscribe()
    await world.receiver.answer(path, { status: 410 }, {})
    await resting(world)
    const [eventId = ''] = await world.publish()
    await world.receiver.received(path)
    await world.quiet()
    await world.callboard.subscriptions.enable({ ...ref, by: 'platform' })
    const resent = () => world.callboard.deliveries.resend({ ...ref, subscriptionId: ref.id, eventId })
    expect(await took(world, path, 2, resent)).toBeLessThan(300)
  })

  it('sends at once what a worker left that stopped', async ({ world }) => {
    const { path } = await world.subscribe()
    await world.receiver.answer(path, 'hold', {})
    // The worker with the lowest id looks for all.
    const stopping = await resting(world, { graceMs: 0, name: 'aaa' })
    await world.publish()
    await world.receiver.received(path)
    await resting(world, { name: 'zzz' })
    const stopped = async () => void stopping.stop()
    expect(await took(world, path, 2, stopped)).toBeLessThan(600)
  })

  it('sends a retry on time that only a worker knew of which was killed', async ({ world }) => {
    const { path } = await world.subscribe()
    await world.receiver.answer(path, { status: 500 }, {})
    const killed = await world.work({ worker: { retrySchedule: [4_000], pollMs: 100 } })
    await world.publish()
    await world.receiver.received(path)
    const retries = async () => (await world.query('select from callboard.retries')).rows.length
    await expect.poll(retries).toBe(1)
    // The worker with the lowest id looks for all.
    await resting(world, { name: 'zzz' })
    await killed.kill()
    await world.receiver.received(path, 2)
    const [first, second] = await world.receiver.log(path)
    expect(second!.at - first!.at).toBeLessThan(4_000 * 1.2 + 1_500)
  })
})
