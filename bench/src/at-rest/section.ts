import { setTimeout as delay } from 'node:timers/promises'
import { migrateGraphile } from '../latency/graphile.ts'
import { type Role, startRole } from '../latency/role.ts'
import type { Contender } from '../latency/role-process.ts'
import { createAccounts, createTables } from '../lib/arrange.ts'
import { openBenchCallboard } from '../lib/bench-callboard.ts'
import { startBenchPostgres } from '../lib/bench-postgres.ts'
import { figure } from '../lib/format.ts'
import { cpuOf, watchServerCpu } from '../lib/process-cpu.ts'
import { median, quantile, ratios } from '../lib/rounds.ts'
import type { Section } from '../lib/section.ts'
import { startSink } from '../lib/sink.ts'

const TARGETS = 20
const MANY = 10
const RATES = [10, 50, 200]
/** A server process that has nothing to do reports its transactions after ten seconds. */
const REPORTED_MS = 10_500
const IDLE_S = 20
/** Within this time, the last deliveries of a rate are settled. */
const SETTLED_MS = 500
/** Who publishes and delivers in which order, so that a gradual change in the machine's speed affects both equally. */
const ORDER = ['callboard', 'graphile', 'graphile', 'callboard'] as const satisfies readonly Contender[]

/** Transactions, and CPU milliseconds of the worker, the publisher and Postgres, in the order of `USED`. */
type Used = readonly number[]
const USED = ['transactions', 'worker, ms of CPU', 'publisher', 'Postgres']

interface Busy {
  readonly aSecond: number
  /** Milliseconds from publishing to the receiver, one for each event. */
  readonly took: readonly number[]
  /** Of each event. */
  readonly used: Used
}

async function startAtRest() {
  // Transactions of autovacuum would be counted too.
  const postgres = await startBenchPostgres({ autovacuum: 'off' })
  const sink = await startSink({ stamp: true })
  const targets = Array.from({ length: TARGETS }, (_, target) => sink.url(target))
  const bench = openBenchCallboard(postgres.url)
  await createTables(bench)
  await createAccounts(bench, targets)
  await migrateGraphile(postgres.url, bench.pool)
  const serverCpu = await watchServerCpu(bench.pool)
  const order = { url: postgres.url, ca: sink.ca, targets }

  const work = async (contender: Contender): Promise<Role> => {
    const worker = startRole()
    await worker.ask('work', contender, order)
    return worker
  }
  /** All transactions so far. */
  const transactions = async (): Promise<number> => {
    await delay(REPORTED_MS)
    const { rows } = await bench.pool.query(
      'select xact_commit + xact_rollback as n from pg_stat_database where datname = current_database()',
    )
    return Number(rows[0].n)
  }
  const cpuMs = (workers: readonly Role[], publisher?: Role): number[] => {
    const worker = workers.map(({ pid }) => cpuOf(pid)).reduce((total, each) => total + each)
    return [worker, publisher === undefined ? 0 : cpuOf(publisher.pid), serverCpu()].map((each) => each / 1_000)
  }
  /** What each of `units` used between two times. One of the transactions counted the others. */
  const perUnit = (before: Used, after: Used, units: number): Used =>
    after.map((end, index) => (end - (before[index] ?? 0) - (index === 0 ? 1 : 0)) / units)
  let received = 0
  const publish = async (publisher: Role, aSecond: number, events: number): Promise<number[]> => {
    const arrived = sink.until(received + events)
    const sent = await publisher.ask('publish', events, aSecond)
    await arrived
    received += events
    const arrivals = new Map(await sink.arrivals())
    return sent.map(([id, at]) => (arrivals.get(id) ?? Number.NaN) - at)
  }

  return {
    /** What a second without work costs. */
    async idle(contender: Contender, count: number): Promise<Used> {
      const workers = await Promise.all(Array.from({ length: count }, () => work(contender)))
      const before = [await transactions(), ...cpuMs(workers)]
      await delay(IDLE_S * 1_000 - REPORTED_MS)
      const after = [await transactions(), ...cpuMs(workers)]
      for (const worker of workers) await worker.stop()
      return perUnit(before, after, IDLE_S)
    },
    /** What an event costs at each of the `RATES`, and how many milliseconds each event took to arrive. */
    async busy(contender: Contender): Promise<Busy[]> {
      const [worker, publisher] = [await work(contender), startRole()]
      await publisher.ask('openPublisher', contender, order)
      await publish(publisher, 50, 100)
      const measured: Busy[] = []
      let counted = await transactions()
      for (const aSecond of RATES) {
        const events = Math.max(200, 10 * aSecond)
        const before = [counted, ...cpuMs([worker], publisher)]
        const took = await publish(publisher, aSecond, events)
        await delay(SETTLED_MS)
        const cpu = cpuMs([worker], publisher)
        counted = await transactions()
        measured.push({ aSecond, took, used: perUnit(before, [counted, ...cpu], events) })
      }
      for (const role of [publisher, worker]) await role.stop()
      return measured
    },
    async stop(): Promise<void> {
      await bench.pool.end()
      await sink.stop()
      await postgres.stop()
    },
  }
}

export const section: Section = {
  title: 'At rest',
  async measure({ quick }) {
    const bench = await startAtRest()
    try {
      const one = await bench.idle('callboard', 1)
      const [transactions = 0, workerMs = 0] = one
      const idle = { what: 'transactions/s: an idle worker', atMost: 1.5, rounds: [transactions], guard: 3 }
      if (quick) return { figures: [], goals: [idle], tables: [], method: '' }
      const [many, rival] = [await bench.idle('callboard', MANY), await bench.idle('graphile', 1)]
      const rounds: Record<Contender, Busy[][]> = { callboard: [], graphile: [] }
      for (const contender of ORDER) rounds[contender].push(await bench.busy(contender))
      const at = (contender: Contender, aSecond: number): Busy[] =>
        rounds[contender].flatMap((round) => round.filter((each) => each.aSecond === aSecond))
      const p99s = (contender: Contender, aSecond: number): number[] =>
        at(contender, aSecond).map(({ took }) => quantile(took, 0.99))
      const row = (name: string, used: Used, took: number[] = []): string[] => [
        name,
        ...[...used, quantile(took, 0.5), quantile(took, 0.99)].map(figure),
      ]
      const rowsOf = (name: string, contender: Contender): string[][] =>
        RATES.map((aSecond) => {
          const all = at(contender, aSecond)
          const used = USED.map((_, index) => median(all.map((each) => each.used[index] ?? Number.NaN)))
          return row(
            `an event at ${aSecond}/s: ${name}`,
            used,
            all.flatMap(({ took }) => took),
          )
        })
      return {
        figures: [],
        goals: [
          idle,
          { what: 'ms of CPU/s: an idle worker', atMost: 10, rounds: [workerMs] },
          {
            what: `transactions/s: ${MANY} idle workers ÷ one`,
            atMost: 5,
            rounds: [(many[0] ?? 0) / transactions],
          },
          ...RATES.flatMap((aSecond) => {
            const used = at('callboard', aSecond).map((each) => each.used)
            return [
              { what: `transactions per event at ${aSecond}/s`, atMost: 3.3, rounds: used.map(([first = 0]) => first) },
              {
                what: `ms of CPU per event at ${aSecond}/s, without the receiver`,
                atMost: 6,
                rounds: used.map((each) => each.slice(1).reduce((total, part) => total + part)),
              },
              {
                what: `p99 ÷ graphile-worker at ${aSecond}/s`,
                atMost: 1,
                rounds: ratios(p99s('callboard', aSecond), p99s('graphile', aSecond)),
              },
            ]
          }),
        ],
        tables: [
          {
            columns: ['', ...USED, 'p50, ms', 'p99, ms'],
            rows: [
              row('a second: one worker', one),
              row(`a second: ${MANY} workers`, many),
              row('a second: graphile-worker', rival),
              ...rowsOf('Callboard', 'callboard'),
              ...rowsOf('graphile-worker', 'graphile'),
            ],
          },
        ],
        method:
          'The processes of the section above, without work, and at three rates. CPU as the kernel counts it, ' +
          'transactions as Postgres counts them. The transactions of a rate include those of ten seconds without work, because they are reported late.',
        missed:
          'The p99 of one run varies by a factor of two. What makes the difference is not known: below the p95, both ' +
          'take about the same time, and with asynchronous commits Callboard’s p99 stayed (2026-11-28).',
      }
    } finally {
      await bench.stop()
    }
  },
}
