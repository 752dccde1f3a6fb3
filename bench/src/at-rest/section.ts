import { setTimeout as delay } from 'node:timers/promises'
import { migrateGraphile } from '../latency/graphile.ts'
import { type Role, startRole } from '../latency/role.ts'
import type { Contender } from '../latency/role-process.ts'
import { createAccounts, createTables } from '../lib/arrange.ts'
import { openBenchCallboard } from '../lib/bench-callboard.ts'
import { startBenchPostgres } from '../lib/bench-postgres.ts'
import { figure } from '../lib/format.ts'
import { cpuOf, watchServerCpu } from '../lib/process-cpu.ts'
import { quantile } from '../lib/rounds.ts'
import type { Section } from '../lib/section.ts'
import { startSink } from '../lib/sink.ts'

const TARGETS = 20
const MANY = 10
const RATES = [10, 50, 200]
/** A server process that has nothing to do reports its transactions after ten seconds. */
const REPORTED_MS = 10_500
const IDLE_S = 20

/** Transactions, and CPU milliseconds of the worker, the publisher and Postgres, in the order of `USED`. */
type Used = readonly number[]
const USED = ['transactions', 'worker, ms of CPU', 'publisher', 'Postgres']

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
  const used = async (workers: readonly Role[], publisher?: Role): Promise<Used> => {
    await delay(REPORTED_MS)
    const { rows } = await bench.pool.query(
      'select xact_commit + xact_rollback as n from pg_stat_database where datname = current_database()',
    )
    const cpu = [...workers.map(({ pid }) => cpuOf(pid)), 0].reduce((total, each) => total + each)
    return [
      Number(rows[0].n),
      cpu / 1_000,
      publisher === undefined ? 0 : cpuOf(publisher.pid) / 1_000,
      serverCpu() / 1_000,
    ]
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
      const before = await used(workers)
      await delay(IDLE_S * 1_000 - REPORTED_MS)
      const after = await used(workers)
      for (const worker of workers) await worker.stop()
      return perUnit(before, after, IDLE_S)
    },
    /** What an event costs at each of the `RATES`, and how many milliseconds each event took to arrive. */
    async busy(contender: Contender) {
      const [worker, publisher] = [await work(contender), startRole()]
      await publisher.ask('openPublisher', contender, order)
      await publish(publisher, 50, 100)
      const measured: { aSecond: number; took: number[]; used: Used }[] = []
      let before = await used([worker], publisher)
      for (const aSecond of RATES) {
        const events = Math.max(200, 10 * aSecond)
        const took = await publish(publisher, aSecond, events)
        const after = await used([worker], publisher)
        measured.push({ aSecond, took, used: perUnit(before, after, events) })
        before = after
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
      const [ours, theirs] = [await bench.busy('callboard'), await bench.busy('graphile')]
      const row = (name: string, used: Used, took: number[] = []): string[] => [
        name,
        ...[...used, quantile(took, 0.5), quantile(took, 0.99)].map(figure),
      ]
      const rowsOf = (name: string, busy: typeof ours): string[][] =>
        busy.map(({ aSecond, used, took }) => row(`an event at ${aSecond}/s: ${name}`, used, took))
      return {
        figures: ours.map(({ aSecond, used }) => ({
          what: `ms of CPU per event at ${aSecond}/s, without the receiver`,
          rounds: [used.slice(1).reduce((total, each) => total + each)],
        })),
        goals: [
          idle,
          { what: 'ms of CPU/s: an idle worker', atMost: 10, rounds: [workerMs] },
          {
            what: `transactions/s: ${MANY} idle workers ÷ one`,
            atMost: 5,
            rounds: [(many[0] ?? 0) / transactions],
          },
          ...ours.map(({ aSecond, used }) => ({
            what: `transactions per event at ${aSecond}/s`,
            atMost: 3.3,
            rounds: used.slice(0, 1),
          })),
        ],
        tables: [
          {
            columns: ['', ...USED, 'p50, ms', 'p99, ms'],
            rows: [
              row('a second: one worker', one),
              row(`a second: ${MANY} workers`, many),
              row('a second: graphile-worker', rival),
              ...rowsOf('Callboard', ours),
              ...rowsOf('graphile-worker', theirs),
            ],
          },
        ],
        method:
          'The processes of the section above, without work, and at three rates. CPU as the kernel counts it, ' +
          'transactions as Postgres counts them. A rate includes ten seconds without work, because they are reported late.',
      }
    } finally {
      await bench.stop()
    }
  },
}
