import { type CpuTime, createMeter, ROUND, requestsOf } from '../drain/contender.ts'
import { createAccounts, createTables } from '../lib/arrange.ts'
import { assertDelivered, publishNotes, sequenceAll } from '../lib/backlog.ts'
import { openBenchCallboard } from '../lib/bench-callboard.ts'
import { startBenchPostgres } from '../lib/bench-postgres.ts'
import { watchServerCpu } from '../lib/process-cpu.ts'
import { alternate, type Rounds } from '../lib/rounds.ts'
import { startSink } from '../lib/sink.ts'

/** Every load and the section `drain` use this many hosts, so each round opens the same number of connections. */
const HOSTS = 200
const SUBSCRIPTIONS = 500
const ACCOUNTS = 10_000
const REQUESTS = requestsOf(ROUND)

export const FEW = `${HOSTS} accounts with one subscription each`
export const ONE = `1 account with ${SUBSCRIPTIONS} subscriptions`
export const MANY = '10,000 accounts with one subscription each'
export type Load = typeof FEW | typeof ONE | typeof MANY

export interface Drains {
  /** Deliveries per second. */
  readonly perSecond: Rounds<Load>
  /** CPU microseconds per delivery in each round; the first round is the warm-up. */
  readonly cpu: Readonly<Record<Load, readonly CpuTime[]>>
}

/** Drains the same number of deliveries of each load. All of them are sequenced before the worker starts. */
export async function measureDrains(): Promise<Drains> {
  const postgres = await startBenchPostgres()
  const sink = await startSink()
  const bench = openBenchCallboard(postgres.url)
  try {
    const targets = (count: number): string[] => Array.from({ length: count }, (_, n) => sink.url(n % HOSTS))
    await createTables(bench)
    await createAccounts(bench, targets(HOSTS), (n) => `few_${n}`)
    await createAccounts(bench, targets(ACCOUNTS), (n) => `many_${n}`)
    await bench.callboard.accounts.create({ id: 'one', name: 'one' })
    for (const targetUrl of targets(SUBSCRIPTIONS))
      await bench.callboard.subscriptions.create({ accountId: 'one', targetUrl, eventTypes: ['note.added'] })
    const order = { postgresUrl: postgres.url, ca: sink.ca, urls: [], requests: REQUESTS, record: false }
    const worker = new URL('../drain/callboard-worker.ts', import.meta.url)
    const meter = createMeter(sink, await watchServerCpu(bench.pool))
    const cpu: Record<Load, CpuTime[]> = { [FEW]: [], [ONE]: [], [MANY]: [] }
    let delivered = 0
    const drain = async (load: Load, account: (n: number) => string, deliveriesPerEvent = 1): Promise<number> => {
      await publishNotes(bench, REQUESTS / deliveriesPerEvent, account)
      await sequenceAll(bench)
      await bench.pool.query('vacuum analyze')
      const metered = await meter(worker, order)
      delivered += REQUESTS
      await assertDelivered(bench, delivered)
      cpu[load].push(metered.cpu)
      return metered.perSecond
    }
    const perSecond: Rounds<Load> = await alternate({
      [FEW]: () => drain(FEW, (n) => `few_${n % HOSTS}`),
      [ONE]: () => drain(ONE, () => 'one', SUBSCRIPTIONS),
      [MANY]: () => drain(MANY, (n) => `many_${n % ACCOUNTS}`),
    } as Record<Load, () => Promise<number>>)
    return { perSecond, cpu }
  } finally {
    await bench.pool.end()
    await sink.stop()
    await postgres.stop()
  }
}
