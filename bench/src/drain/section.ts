import { availableParallelism } from 'node:os'
import { createAccounts, createTables } from '../lib/arrange.ts'
import { assertCount, assertDelivered, publishNotes, sequenceAll } from '../lib/backlog.ts'
import { openBenchCallboard } from '../lib/bench-callboard.ts'
import { startBenchPostgres } from '../lib/bench-postgres.ts'
import { figure, spread } from '../lib/format.ts'
import { watchServerCpu } from '../lib/process-cpu.ts'
import { alternate, median, type Rounds, ratios } from '../lib/rounds.ts'
import type { Section, Table } from '../lib/section.ts'
import { startSink } from '../lib/sink.ts'
import { createAttempts } from './attempt-log.ts'
import { type CpuTime, createMeter, ROUND, type Round, requestsOf } from './contender.ts'
import { fillBareQueue } from './fill-bare-queue.ts'
import type { RivalJob } from './rival.ts'
import { RIVALS } from './rivals.ts'

const TARGETS = 200
const REQUESTS = requestsOf(ROUND)
/** Rivals are slower, so their rounds are shorter. */
const RIVAL_ROUND: Round = { warmUp: 1_000, counted: 4_000, runOut: 0 }

const RAW = 'raw loop'
const RECORDED = 'raw loop that records'
const QUEUE = 'bare queue'
const SEQUENCED = 'Callboard, already sequenced'
const PUBLISHED = 'Callboard, only published'

const RAW_LOOP = new URL('./raw-loop.ts', import.meta.url)
const BARE_QUEUE = new URL('./bare-queue.ts', import.meta.url)
const WORKER = new URL('./callboard-worker.ts', import.meta.url)
const RIVAL = new URL('./rival-process.ts', import.meta.url)

interface Contender {
  readonly module: URL
  readonly round?: Round | undefined
  readonly rival?: string | undefined
  /** Gets everything ready before the contender's process starts. */
  fill?(): Promise<void>
  /** Throws if the contender has not recorded what it sent. */
  check?(): Promise<void>
}

export const section: Section = {
  title: 'Draining deliveries from Postgres',
  async measure({ quick }) {
    const postgres = await startBenchPostgres()
    const sink = await startSink()
    const bench = openBenchCallboard(postgres.url)
    const { pool } = bench
    try {
      const urls = Array.from({ length: TARGETS }, (_, target) => sink.url(target))
      await createTables(bench)
      await createAccounts(bench, urls)
      let published = 0
      const publish = async (): Promise<void> => {
        await publishNotes(bench, REQUESTS, (n) => `acc_${n % TARGETS}`)
        published += REQUESTS
      }
      const worker = { module: WORKER, check: () => assertDelivered(bench, published) }
      const contenders: Readonly<Record<string, Contender>> = {
        [RAW]: { module: RAW_LOOP },
        [RECORDED]: {
          module: RAW_LOOP,
          fill: () => createAttempts(pool),
          check: () => assertCount(bench, 'attempt', REQUESTS),
        },
        [QUEUE]: {
          module: BARE_QUEUE,
          fill: () => fillBareQueue(pool, urls, REQUESTS),
          check: () => assertCount(bench, 'queue_attempt', REQUESTS),
        },
        [SEQUENCED]: {
          ...worker,
          async fill() {
            await publish()
            await sequenceAll(bench)
          },
        },
        [PUBLISHED]: { ...worker, fill: publish },
        ...Object.fromEntries(
          Object.entries(RIVALS).map(([rival, { fill }]): [string, Contender] => [
            rival,
            {
              module: RIVAL,
              rival,
              round: RIVAL_ROUND,
              async fill() {
                await createAttempts(pool)
                await fill(pool, postgres.url, jobsTo(urls))
              },
            },
          ]),
        ),
      }
      const meter = createMeter(sink, await watchServerCpu(pool))
      const cpu: Record<string, CpuTime[]> = {}
      const run = async (name: string, { module, rival, round, fill, check }: Contender): Promise<number> => {
        await fill?.()
        // As autovacuum would have done by the time so many jobs are queued.
        await pool.query('vacuum analyze')
        const order = { postgresUrl: postgres.url, ca: sink.ca, urls, requests: REQUESTS, record: name === RECORDED }
        const metered = await meter(module, { ...order, rival }, round)
        await check?.()
        cpu[name] = [...(cpu[name] ?? []), metered.cpu]
        return metered.perSecond
      }
      const chosen = Object.entries(contenders).filter(([name]) => !quick || name === RECORDED || name === PUBLISHED)
      const reached: Rounds<string> = await alternate(
        Object.fromEntries(chosen.map(([name, each]) => [name, () => run(name, each)])),
        quick ? 1 : 3,
      )
      const of = (name: string): readonly number[] => reached[name] ?? []
      const lower = of(RAW).map((raw, round) =>
        Math.min(3 * Math.max(...Object.keys(RIVALS).map((name) => of(name)[round] ?? 0)), 0.8 * raw),
      )
      return {
        figures: [PUBLISHED, ...Object.keys(RIVALS)].map((name) => ({
          what: `deliveries/s: ${name}`,
          rounds: of(name),
        })),
        goals: [SEQUENCED, PUBLISHED].flatMap((name) => [
          {
            what: `${name} ÷ min(3 × best rival, 0.8 × raw loop)`,
            atLeast: 1,
            rounds: ratios(of(name), lower),
          },
          {
            what: `${name} ÷ ${RECORDED}`,
            atLeast: name === SEQUENCED ? 0.85 : 0.8,
            rounds: ratios(of(name), of(RECORDED)),
            guard: name === PUBLISHED ? 0.23 : undefined,
          },
        ]),
        tables: [
          { columns: ['', 'deliveries/s'], rows: Object.keys(contenders).map((name) => [name, spread(of(name))]) },
          cpuTable(cpu, median(of(RECORDED))),
        ],
        method:
          'One worker empties a backlog of 1 KB events, of 200 accounts with a subscription each. Already sequenced: ' +
          'ready to be leased. The raw loop signs and sends with the same transport. A rival’s job is one `fetch` and ' +
          'one insert of an attempt.',
        missed:
          'The raw loop has no lease and no fence, so a crash loses or repeats deliveries. A bare queue that has them, ' +
          'but no retries, order, sealed secrets, personal data or limits, reaches ' +
          `${spread(ratios(of(QUEUE), of(RECORDED)))} of the loop. All share the cores with the receiver and Postgres. ` +
          `A request takes all processes together ${perRequest(cpu, RECORDED)} µs of CPU with the loop, ` +
          `${perRequest(cpu, QUEUE)} with the bare queue and ${perRequest(cpu, SEQUENCED)} with Callboard.`,
      }
    } finally {
      await bench.pool.end()
      await sink.stop()
      await postgres.stop()
    }
  },
}

type Cpu = Readonly<Record<string, readonly CpuTime[]>>

/** The median of a contender's CPU time per request after the warm-up, by process and in all. */
function partsOf(cpu: Cpu, name: string): number[] {
  const part = (of: keyof CpuTime): number => median((cpu[name] ?? []).slice(1).map((time) => time[of]))
  const parts = [part('contender'), part('receiver'), part('postgres')]
  return [...parts, parts.reduce((sum, each) => sum + each, 0)]
}

const perRequest = (cpu: Cpu, name: string): string => figure(partsOf(cpu, name).at(-1) ?? Number.NaN)

/**
 * The CPU time per request, by process, and the highest rate possible at this cost.
 *
 * @param recorded the rate of the raw loop that records
 */
function cpuTable(cpu: Cpu, recorded: number): Table {
  const rows = Object.keys(cpu).map((name) => {
    const parts = partsOf(cpu, name)
    const most = (availableParallelism() * 1e6) / (parts.at(-1) ?? Number.NaN)
    return [name, ...[...parts, most, most / recorded].map(figure)]
  })
  const columns = [
    'CPU µs per request',
    'own process',
    'receiver',
    'Postgres',
    'all',
    'requests/s if every core were busy',
    'relative to the raw loop that records',
  ]
  return { columns, rows }
}

/** Deliveries like Callboard's, as jobs for a rival. Each job contains everything needed to send the request. */
function jobsTo(urls: readonly string[]): RivalJob[] {
  const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
  const body = 'x'.repeat(1_024)
  return Array.from({ length: requestsOf(RIVAL_ROUND) }, (_, n) => {
    return { id: `job_${n}`, url: urls[n % urls.length] ?? '', secret, body }
  })
}
