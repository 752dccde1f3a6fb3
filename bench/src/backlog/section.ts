import { execFile } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
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
/** Published for the dead subscription while its growth is measured. */
const MORE = 10_000
const DEAD = accountOf(TARGETS)

async function megabytes(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)])
  return Number(stdout) / 1_000
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
      const [worker, publisher] = await Promise.all(
        (['work', 'publish'] as const).map(async (start) => {
          const role: Role = startHelper(new URL('../latency/role-process.ts', import.meta.url))
          helpers.push(role)
          await role.ask({ start, contender: 'callboard', url, ca: sink.ca, targets })
          return role
        }),
      )
      if (worker === undefined || publisher === undefined) throw new Error('a process did not start')
      const p99s: number[] = []
      const perSecond = async (): Promise<number> => {
        const arrived = sink.until(received + EVENTS)
        const startedAt = performance.now()
        const { sent } = await publisher.ask({ publish: EVENTS, aSecond: A_SECOND })
        await arrived
        const rate = (EVENTS * 1_000) / (performance.now() - startedAt)
        received += EVENTS
        const arrivals = new Map(await sink.arrivals())
        p99s.push(
          quantile(
            sent.map(([id, at]) => (arrivals.get(id) ?? Number.NaN) - at),
            0.99,
          ),
        )
        return rate
      }
      return { opened, worker, perSecond, p99s }
    }
    const alone = await contender(postgres.url)
    const behind = await contender(behindUrl.href)
    await publishForDead(behind.opened, 500)
    await fillBacklog(behind.opened.pool, DEAD, BEHIND)

    const rate = await alternate({ alone: alone.perSecond, behind: behind.perSecond })
    const p99 = { alone: alone.p99s.slice(1), behind: behind.p99s.slice(1) }
    const [memoryAlone, memory] = await Promise.all([megabytes(alone.worker.pid), megabytes(behind.worker.pid)])
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
            ['nothing behind', spread(rate.alone), spread(p99.alone), figure(memoryAlone)],
            [`${figure(BEHIND)} events behind`, spread(rate.behind), spread(p99.behind), figure(memory)],
          ],
        },
      ],
      goals: [
        {
          what: 'deliveries/s to others, against nothing behind',
          atLeast: 0.95,
          rounds: ratios(rate.behind, rate.alone),
        },
        { what: 'p99 of others, against nothing behind', atMost: 1.1, rounds: ratios(p99.behind, p99.alone) },
        { what: "the worker's memory, MB", atMost: 200, rounds: [memory] },
        {
          what: 'bytes that an undelivered event takes beside itself and its place in the feed',
          atMost: 1,
          rounds: growth,
        },
      ],
      notes: [
        `${figure(A_SECOND)} events/s over ${TARGETS} subscriptions, over TLS, in two databases of one server, each with a worker and a publisher of its own; in the other there is one subscription more, where nobody listens. The million was put there by SQL, as publishing and placing leave it; growth is that of ${figure(MORE)} events published for the dead subscription, three times, after vacuum.`,
        `Memory is what the process holds at the end (RSS): ${figure(memory)} MB beside the million, ${figure(memoryAlone)} with nothing behind. What the backlog takes of it is the difference.`,
        `The p99 of others is that of the ${figure(EVENTS / 100)} slowest events of a round; round by round it was ${p99.behind.map((each, round) => `${figure(each)} ms against ${figure(p99.alone[round] ?? Number.NaN)}`).join(', ')}.`,
      ],
    }
  },
}
