import { createAccounts, createTables } from '../lib/arrange.ts'
import { openBenchCallboard } from '../lib/bench-callboard.ts'
import { startBenchPostgres } from '../lib/bench-postgres.ts'
import { spread } from '../lib/format.ts'
import { alternate, quantile, ratios } from '../lib/rounds.ts'
import type { Goal, Section, Table } from '../lib/section.ts'
import { startSink } from '../lib/sink.ts'
import { migrateGraphile } from './graphile.ts'
import { type Role, startRole } from './role.ts'
import type { Contender } from './role-process.ts'

const TARGETS = 20
const A_SECOND = 50
/** How many events each round publishes: `A_SECOND` per second for three seconds. */
const EVENTS = 150
/**
 * Enough rounds for a steady p99. In nine rounds, 1,350 events are measured, so the 13 slowest events decide the p99.
 * With 300 events, only three decided it, and it varied by a factor of four.
 */
const ROUNDS = 9

/** Settings with which each commit takes 2 ms longer, as on network storage or with a synchronous standby. */
const SLOW_COMMITS = { commit_delay: '2000', commit_siblings: '0' }
const SLOW_ROUNDS = 5

/** In milliseconds. */
interface Latency {
  /** The p50 of each round. */
  readonly p50: Readonly<Record<Contender, readonly number[]>>
  /** The p99 of all rounds together. */
  readonly p99: Readonly<Record<Contender, number>>
}

async function measureLatency(settings: Readonly<Record<string, string>>, rounds: number): Promise<Latency> {
  const postgres = await startBenchPostgres(settings)
  const sink = await startSink({ stamp: true })
  const targets = Array.from({ length: TARGETS }, (_, target) => sink.url(target))
  const bench = openBenchCallboard(postgres.url)
  await createTables(bench)
  await createAccounts(bench, targets)
  await migrateGraphile(postgres.url, bench.pool)
  await bench.pool.end()

  const roles: Role[] = []
  const order = { url: postgres.url, ca: sink.ca, targets }
  let received = 0
  const byContender = async <Value>(of: (name: Contender) => Promise<Value>): Promise<Record<Contender, Value>> => ({
    callboard: await of('callboard'),
    graphile: await of('graphile'),
  })
  const publishers = await byContender(async (name) => {
    const [worker, publisher] = [startRole(), startRole()]
    roles.push(worker, publisher)
    await worker.ask('work', name, order)
    await publisher.ask('openPublisher', name, order)
    return publisher
  })
  const took: Record<Contender, number[][]> = { callboard: [], graphile: [] }
  const round = async (name: Contender): Promise<number> => {
    const arrived = sink.until(received + EVENTS)
    const sent = await publishers[name].ask('publish', EVENTS, A_SECOND)
    await arrived
    received += EVENTS
    const arrivals = new Map(await sink.arrivals())
    const each = sent.map(([id, at]) => (arrivals.get(id) ?? Number.NaN) - at)
    took[name].push(each)
    return quantile(each, 0.5)
  }
  const p50 = await alternate({ callboard: () => round('callboard'), graphile: () => round('graphile') }, rounds)
  // The first round is the warm-up.
  const p99 = await byContender(async (name) => quantile(took[name].slice(1).flat(), 0.99))

  for (const role of roles) await role.stop()
  await sink.stop()
  await postgres.stop()
  return { p50, p99 }
}

function tableOf(title: string, { p50, p99 }: Latency): Table {
  const row = (name: string, of: Contender): string[] => [name, spread(p50[of]), spread([p99[of]])]
  const rows = [row('Callboard', 'callboard'), row('graphile-worker', 'graphile')]
  return { columns: [title, 'p50, ms', 'p99, ms'], rows }
}

function goalsOf(suffix: string, { p50, p99 }: Latency): Goal[] {
  return [
    { what: `p50 ÷ graphile-worker${suffix}`, atMost: 1, rounds: ratios(p50.callboard, p50.graphile) },
    { what: `p99 ÷ graphile-worker${suffix}`, atMost: 1, rounds: [p99.callboard / p99.graphile] },
  ]
}

export const section: Section = {
  title: 'Latency, publish → received, 50 events/s',
  async measure() {
    const local = await measureLatency({}, ROUNDS)
    const slow = await measureLatency(SLOW_COMMITS, SLOW_ROUNDS)
    return {
      figures: [
        { what: 'p50, ms', rounds: local.p50.callboard },
        { what: 'p99, ms', rounds: [local.p99.callboard] },
      ],
      goals: [...goalsOf('', local), ...goalsOf(', slow commits', slow)],
      tables: [tableOf('commits to this machine’s disk', local), tableOf('commits that take 2 ms longer', slow)],
      method:
        `From publishing to the last byte at the receiver, at ${A_SECOND} events/s. graphile-worker has its settings for ` +
        'low latency and sends with Callboard’s transport. Slow commits take 2 ms longer (`commit_delay`).',
      missed:
        'At the p99, Callboard is slower than graphile-worker. One step sequences an event, finds its subscriptions and ' +
        'leases their lanes; it took Postgres 0.47 ms at this rate (2026-11-24), with cold caches, where a queue ' +
        'without a feed and without subscriptions changes a single row. Which part of it makes the tail is not known.',
    }
  },
}
