import { engineOf } from '@callboard/core/engine'
import { type Arrivals, countArrivals, REQUESTS, withContender } from '../drain/contender.ts'
import type { CpuTime } from '../drain/cpu-time.ts'
import { arrange } from '../lib/arrange.ts'
import { type BenchCallboard, noteEvent, openBenchCallboard } from '../lib/bench-callboard.ts'
import { startBenchPostgres } from '../lib/bench-postgres.ts'
import { alternate, type Rounds } from '../lib/rounds.ts'
import { type Sink, startSink } from '../lib/sink.ts'
import { copyAccounts, createAccounts, joinAccounts } from './accounts.ts'

/** Every load and the section `drain` use this many hosts, so each round opens the same number of connections. */
export const HOSTS = 200
const SUBSCRIPTIONS = 500
const ACCOUNTS = 10_000
const AT_ONCE = 500

export const FEW = `${HOSTS} accounts with one subscription each`
export const ONE = `1 account with ${SUBSCRIPTIONS} subscriptions`
export const MANY = '10,000 accounts with one subscription each'
export type Load = typeof FEW | typeof ONE | typeof MANY

interface Publishing {
  /** The account of the `n`th event. */
  account(n: number): string
  /** How many deliveries each event has. */
  readonly deliveries: number
}

const LOADS: Readonly<Record<Load, Publishing>> = {
  [FEW]: { account: (n) => `few_${n % HOSTS}`, deliveries: 1 },
  [ONE]: { account: () => 'one', deliveries: SUBSCRIPTIONS },
  [MANY]: { account: (n) => `many_${n % ACCOUNTS}`, deliveries: 1 },
}

export interface Drains {
  /** Deliveries per second. */
  readonly perSecond: Rounds<Load>
  /** CPU microseconds per delivery in each round, after the warm-up; empty if the machine does not report them. */
  readonly cpu: Readonly<Record<Load, readonly CpuTime[]>>
}

/** Drains the same number of deliveries of each load. All of them are sequenced before the worker starts. */
export async function measureDrains(): Promise<Drains> {
  const postgres = await startBenchPostgres()
  const sink = await startSink()
  const bench = openBenchCallboard(postgres.url)
  try {
    const urls = Array.from({ length: HOSTS }, (_, host) => sink.url(host))
    await arrangeLoads(bench, sink)
    const order = { postgresUrl: postgres.url, requests: REQUESTS, record: false, sink: { ca: sink.ca, urls } }
    const worker = new URL('../drain/callboard-worker.ts', import.meta.url)
    const arrivals: Arrivals = countArrivals(sink)
    const cpu: Record<Load, CpuTime[]> = { [FEW]: [], [ONE]: [], [MANY]: [] }
    let rounds = 0
    const drain = async (load: Load): Promise<number> => {
      await publish(bench, LOADS[load])
      await bench.pool.query('vacuum analyze')
      const perSecond = await withContender(worker, order, arrivals.round)
      await assertRecorded(bench, ++rounds * REQUESTS)
      const time = arrivals.cpu()
      if (time !== undefined && rounds > Object.keys(LOADS).length) cpu[load].push(time)
      return perSecond
    }
    const perSecond: Rounds<Load> = await alternate({
      [FEW]: () => drain(FEW),
      [ONE]: () => drain(ONE),
      [MANY]: () => drain(MANY),
    } as Record<Load, () => Promise<number>>)
    return { perSecond, cpu }
  } finally {
    await bench.pool.end()
    await sink.stop()
    await postgres.stop()
  }
}

/** Creates the tables, and the accounts and subscriptions of all loads. */
async function arrangeLoads(bench: BenchCallboard, sink: Sink): Promise<void> {
  await arrange(bench, [])
  const targets = (count: number): string[] => Array.from({ length: count }, (_, n) => sink.url(n % HOSTS))
  await createAccounts(bench, LOADS[FEW].account, targets(HOSTS))
  await createAccounts(bench, (n) => `one_${n}`, targets(SUBSCRIPTIONS))
  await bench.callboard.accounts.create({ id: 'one', name: 'one' })
  await joinAccounts(bench.pool, 'one', 'one_')
  await copyAccounts(bench.pool, { from: 'few_', to: 'many_', count: ACCOUNTS })
}

/** Publishes the events of a round, and sequences them as a worker does. */
async function publish({ callboard }: BenchCallboard, { account, deliveries }: Publishing): Promise<void> {
  const events = Array.from({ length: REQUESTS / deliveries }, (_, n) => noteEvent(account(n), n))
  for (let n = 0; n < events.length; n += AT_ONCE) await callboard.publishMany(events.slice(n, n + AT_ONCE))
  const { store } = engineOf(callboard)
  while ((await store.deliveries.sequence(AT_ONCE)).sequenced > 0);
}

/** Throws unless the log has one row for each delivery. A worker records all its attempts before it stops. */
async function assertRecorded({ pool }: BenchCallboard, deliveries: number): Promise<void> {
  const { rows } = await pool.query(`select count(*)::int as n from callboard.attempts where outcome = 'delivered'`)
  if (rows[0]?.n !== deliveries) throw new Error(`${rows[0]?.n} of ${deliveries} attempts recorded`)
}
