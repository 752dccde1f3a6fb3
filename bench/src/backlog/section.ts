import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import type { Memory } from '../latency/memory.ts'
import type { Role } from '../latency/role-process.ts'
import { accountOf, arrange } from '../lib/arrange.ts'
import { type BenchCallboard, noteEvent, openBenchCallboard, subscribe } from '../lib/bench-callboard.ts'
import { startBenchPostgres } from '../lib/bench-postgres.ts'
import { figure, spread } from '../lib/format.ts'
import { startHelper } from '../lib/helper.ts'
import { alternate, quantile, ratios } from '../lib/rounds.ts'
import type { Section } from '../lib/section.ts'
import { startSink } from '../lib/sink.ts'
import { fillBacklog, sizeBesideEvents } from './fill.ts'

const BEHIND = 1_000_000
const TARGETS = 50
const A_SECOND = 300
/** How many events each round publishes: `A_SECOND` per second for five seconds. */
const EVENTS = 1_500
/**
 * How many events are published during the second before each round. Publishing them reopens the connections that the
 * pool closed after ten idle seconds, so that the round does not include the time to connect.
 */
const LEAD_IN = 300
const ROUNDS = 5
/**
 * A Node option for the last worker that is measured. It limits each of V8's three spaces for new objects (semi-spaces)
 * to 16 MB.
 */
const BOUND = '--max-semi-space-size=16'
/** How many events each measurement of the tables' growth publishes for the dead subscription. */
const MORE = 10_000
/** The account of the dead subscription, whose target does not answer. */
const DEAD = accountOf(TARGETS)

async function memoryOf(worker: Role): Promise<Memory> {
  const { memory } = await worker.ask({ how: 'much memory' })
  if (memory === undefined) throw new Error('the worker did not report its memory')
  return memory
}

async function publishForDead({ callboard, pool }: BenchCallboard, events: number): Promise<void> {
  for (let n = 0; n < events; n += 500)
    await callboard.publishMany(
      Array.from({ length: Math.min(500, events) }, (_, each) => noteEvent(DEAD, n + each, 300)),
    )
  for (;;) {
    const { rows } = await pool.query('select from callboard.outbox limit 1')
    if (rows.length === 0) return
    await delay(20)
  }
}

export const section: Section = {
  title: 'A backlog of a million events for one dead subscription',
  async measure() {
    const postgres = await startBenchPostgres()
    const admin = new Client({ connectionString: postgres.url })
    await admin.connect()
    await admin.query('create database behind')
    await admin.end()
    const behindUrl = new URL(postgres.url)
    behindUrl.pathname = '/behind'
    const sink = await startSink({ stamp: true })
    const targets = Array.from({ length: TARGETS }, (_, target) => sink.url(target))
    const helpers: Role[] = []
    let received = 0

    const contender = async (url: string) => {
      const opened = openBenchCallboard(url)
      await arrange(opened, targets)
      // Nobody listens on this port.
      await subscribe(opened, DEAD, `https://t${TARGETS}.bench.test:1/hook`)
      const startRole = async (start: 'work' | 'publish', ...options: readonly string[]): Promise<Role> => {
        const role: Role = startHelper(new URL('../latency/role-process.ts', import.meta.url), options)
        helpers.push(role)
        await role.ask({ start, contender: 'callboard', url, ca: sink.ca, targets })
        return role
      }
      const [worker, publisher] = await Promise.all([startRole('work'), startRole('publish')])
      /** For each round, the milliseconds from the publishing to the arrival of each event. */
      const took: number[][] = []
      const publish = async (events: number) => {
        const arrived = sink.until(received + events)
        const { sent } = await publisher.ask({ publish: events, aSecond: A_SECOND })
        await arrived
        received += events
        return { sent, arrivals: new Map(await sink.arrivals()) }
      }
      const perSecond = async (): Promise<number> => {
        await publish(LEAD_IN)
        const startedAt = performance.now()
        const { sent, arrivals } = await publish(EVENTS)
        const rate = (EVENTS * 1_000) / (performance.now() - startedAt)
        took.push(sent.map(([id, at]) => (arrivals.get(id) ?? Number.NaN) - at))
        return rate
      }
      return { opened, worker, startRole, perSecond, took }
    }
    const alone = await contender(postgres.url)
    const behind = await contender(behindUrl.href)
    await publishForDead(behind.opened, 500)
    await fillBacklog(behind.opened.pool, DEAD, BEHIND)

    const rate = await alternate({ alone: alone.perSecond, behind: behind.perSecond }, ROUNDS)
    const counted = { alone: alone.took.slice(1), behind: behind.took.slice(1) }
    const p99 = {
      alone: counted.alone.map((round) => quantile(round, 0.99)),
      behind: counted.behind.map((round) => quantile(round, 0.99)),
    }
    const p99OfAll = { alone: quantile(counted.alone.flat(), 0.99), behind: quantile(counted.behind.flat(), 0.99) }
    const [memoryAlone, memory] = await Promise.all([memoryOf(alone.worker), memoryOf(behind.worker)])
    await alone.worker.stop()
    const bounded = await alone.startRole('work', BOUND)
    for (let round = 0; round < 3; round++) await alone.perSecond()
    const memoryBounded = await memoryOf(bounded)
    const growth: number[] = []
    await publishForDead(behind.opened, MORE)
    for (let round = 0; round < 3; round++) {
      const before = await sizeBesideEvents(behind.opened.pool)
      await publishForDead(behind.opened, MORE)
      growth.push(((await sizeBesideEvents(behind.opened.pool)) - before) / MORE)
    }

    for (const helper of helpers) await helper.stop()
    await Promise.all([alone, behind].map(({ opened }) => opened.pool.end()))
    await sink.stop()
    await postgres.stop()
    const p99ByRound = p99.behind.map(
      (each, round) => `${figure(each)} and ${figure(p99.alone[round] ?? Number.NaN)} ms`,
    )
    return {
      tables: [
        {
          columns: ['', 'deliveries/s to others', 'p99, ms', 'worker memory, MB'],
          rows: [
            ['no backlog', spread(rate.alone), figure(p99OfAll.alone), figure(memoryAlone.resident)],
            [`backlog of ${figure(BEHIND)}`, spread(rate.behind), figure(p99OfAll.behind), figure(memory.resident)],
          ],
        },
      ],
      goals: [
        {
          what: 'deliveries/s to the other subscriptions, relative to no backlog',
          atLeast: 0.95,
          rounds: ratios(rate.behind, rate.alone),
        },
        {
          what: 'p99 of the other subscriptions, relative to no backlog',
          atMost: 1.1,
          rounds: [p99OfAll.behind / p99OfAll.alone],
        },
        { what: 'worker memory, MB', atMost: 200, rounds: [memory.resident] },
        {
          what: 'bytes per undelivered event, in all tables except events, feed and subjects',
          atMost: 1,
          rounds: growth,
        },
      ],
      notes: [
        `${figure(A_SECOND)} events/s over ${TARGETS} subscriptions, over TLS. Two databases on one server have a ` +
          'worker and a publisher each; the second has one more subscription, whose target does not answer. ' +
          'Its backlog was inserted with SQL, as if the events had been published and sequenced. ' +
          `Bytes per undelivered event are measured three times. Each time, ${figure(MORE)} more events are ` +
          "published for the subscription whose target does not answer, and the tables' size is read before and after " +
          'that, each time after a vacuum.',
        'Memory is the RSS of the process at the end. After garbage collection, ' +
          `${figure(memory.inUse)} MB of it are in use with the backlog and ${figure(memoryAlone.inUse)} MB without: ` +
          'the difference is the cost of the backlog. The rest is Node itself, which here also strips types from the ' +
          'sources, and the space that Node reserves for new objects. The platform can limit that space: ' +
          `with ${BOUND}, a worker with no backlog holds ${figure(memoryBounded.resident)} MB after three rounds.`,
        `Events of the second before each round are not counted. The p99 of the other subscriptions covers all ` +
          `${ROUNDS} rounds together, so the ${figure((ROUNDS * EVENTS) / 100)} slowest events decide it. By round, ` +
          `with and without the backlog: ` +
          `${p99ByRound.join('; ')}.`,
      ],
    }
  },
}
