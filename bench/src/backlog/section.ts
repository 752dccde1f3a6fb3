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
/** Five seconds a round. */
const EVENTS = 1_500
/** Another second before it: a pool closes what it has not used for ten, and opens up to ten connections anew for the first events. */
const LEAD_IN = 300
const ROUNDS = 5
/** Of Node, in megabytes: what the last worker may keep for new objects, three times. */
const BOUND = '--max-semi-space-size=16'
/** Published for the dead subscription while its growth is measured. */
const MORE = 10_000
const DEAD = accountOf(TARGETS)

async function memoryOf(worker: Role): Promise<Memory> {
  const { memory } = await worker.ask({ how: 'much memory' })
  if (memory === undefined) throw new Error('the worker did not tell what it holds')
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
  title: 'A million events behind for one dead subscription',
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
      // Where nobody listens.
      await subscribe(opened, DEAD, `https://t${TARGETS}.bench.test:1/hook`)
      const startRole = async (start: 'work' | 'publish', ...options: readonly string[]): Promise<Role> => {
        const role: Role = startHelper(new URL('../latency/role-process.ts', import.meta.url), options)
        helpers.push(role)
        await role.ask({ start, contender: 'callboard', url, ca: sink.ca, targets })
        return role
      }
      const [worker, publisher] = await Promise.all([startRole('work'), startRole('publish')])
      /** How long each event took in each round, in milliseconds. */
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
    return {
      tables: [
        {
          columns: ['', 'deliveries/s to others', 'p99, ms', 'memory of the worker, MB'],
          rows: [
            ['nothing behind', spread(rate.alone), figure(p99OfAll.alone), figure(memoryAlone.resident)],
            [`${figure(BEHIND)} events behind`, spread(rate.behind), figure(p99OfAll.behind), figure(memory.resident)],
          ],
        },
      ],
      goals: [
        {
          what: 'deliveries/s to others, against nothing behind',
          atLeast: 0.95,
          rounds: ratios(rate.behind, rate.alone),
        },
        { what: 'p99 of others, against nothing behind', atMost: 1.1, rounds: [p99OfAll.behind / p99OfAll.alone] },
        { what: "the worker's memory, MB", atMost: 200, rounds: [memory.resident] },
        {
          what: 'bytes that an undelivered event takes beside itself and its place in the feed',
          atMost: 1,
          rounds: growth,
        },
      ],
      notes: [
        `${figure(A_SECOND)} events/s over ${TARGETS} subscriptions, over TLS, in two databases of one server, each with a worker and a publisher of its own; in the other there is one subscription more, where nobody listens. The million was put there by SQL, as publishing and placing leave it; growth is that of ${figure(MORE)} events published for the dead subscription, three times, after vacuum.`,
        `Memory is what the process holds at the end (RSS). In use of it, once garbage has been collected, are ${figure(memory.inUse)} MB beside the million and ${figure(memoryAlone.inUse)} with nothing behind: the difference is the backlog’s. The rest is Node itself, which removes types from the sources here, and the room that it keeps for new objects, whose bound is the platform’s to set: with ${BOUND}, another worker with nothing behind holds ${figure(memoryBounded.resident)} MB after three rounds.`,
        `A second before each round is not counted. The p99 of others is that of all ${ROUNDS} rounds together, their ${figure((ROUNDS * EVENTS) / 100)} slowest events; round by round it was ${p99.behind.map((each, round) => `${figure(each)} ms against ${figure(p99.alone[round] ?? Number.NaN)}`).join(', ')}.`,
      ],
    }
  },
}
