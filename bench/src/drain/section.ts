import { migrate } from '@callboard/store-postgres'
import { type BenchCallboard, noteEvent, openBenchCallboard, subscribe } from '../lib/bench-callboard.ts'
import { startBenchPostgres } from '../lib/bench-postgres.ts'
import { figure, spread } from '../lib/format.ts'
import { alternate, median, ratios } from '../lib/rounds.ts'
import type { Section } from '../lib/section.ts'
import { startSink } from '../lib/sink.ts'
import { drainRival } from '../rivals/drain-rival.ts'
import { startRedis } from '../rivals/redis-server.ts'
import type { RivalJob } from '../rivals/rival.ts'
import { RIVALS, type RivalName } from '../rivals/rivals.ts'
import { countArrivals, REQUESTS, withContender } from './contender.ts'
import type { CpuTime } from './cpu-time.ts'

const TARGETS = 200
const PUBLISHED_AT_ONCE = 500

export const section: Section = {
  title: 'Draining deliveries from Postgres',
  async measure() {
    const postgres = await startBenchPostgres()
    const sink = await startSink()
    const redis = await startRedis()
    const bench = openBenchCallboard(postgres.url)
    const rivals = (Object.keys(RIVALS) as RivalName[]).filter((name) => name !== 'BullMQ' || redis !== undefined)
    const drainOf = async (name: RivalName): Promise<number> => {
      const rivalSink = await startSink()
      try {
        const servers = { postgres: postgres.url, redis: redis?.path }
        return await drainRival({ name, servers, sink: rivalSink, jobs: jobsTo(rivalSink.url) })
      } finally {
        await rivalSink.stop()
      }
    }
    try {
      await migrate(bench.pool)
      const urls = Array.from({ length: TARGETS }, (_, target) => sink.url(target))
      for (const [n, url] of urls.entries()) await subscribe(bench, `acc_${n}`, url)
      const order = { postgresUrl: postgres.url, requests: REQUESTS, sink: { ca: sink.ca, urls } }
      const arrivals = countArrivals(sink)
      const cpu = { raw: [] as CpuTime[], callboard: [] as CpuTime[] }
      const run = async (module: URL, spent: CpuTime[]): Promise<number> => {
        const perSecond = await withContender(module, order, arrivals.round)
        spent.push(...[arrivals.cpu()].filter((time) => time !== undefined))
        return perSecond
      }
      const reached = await alternate({
        'raw loop': () => run(new URL('./raw-loop.ts', import.meta.url), cpu.raw),
        Callboard: async () => {
          await publish(bench)
          const perSecond = await run(new URL('./callboard-worker.ts', import.meta.url), cpu.callboard)
          await assertRecorded(bench)
          return perSecond
        },
        ...Object.fromEntries(rivals.map((name) => [name, () => drainOf(name)])),
      } as Record<'raw loop' | 'Callboard' | RivalName, () => Promise<number>>)
      const best = reached.Callboard.map((_, round) => Math.max(...rivals.map((name) => reached[name][round] ?? 0)))
      const lower = best.map((rival, round) => Math.min(3 * rival, 0.8 * (reached['raw loop'][round] ?? 0)))
      return {
        tables: [
          {
            columns: ['', 'deliveries/s'],
            rows: Object.entries(reached).map(([name, rounds]) => [name, spread(rounds)]),
          },
        ],
        goals: [
          {
            what: 'Callboard beside the raw loop',
            atLeast: 0.8,
            rounds: ratios(reached.Callboard, reached['raw loop']),
          },
          {
            what: 'Callboard beside the lower of 3 × the best rival and 0.8 × the raw loop',
            atLeast: 1,
            rounds: ratios(reached.Callboard, lower),
          },
        ],
        notes: [
          ...(redis === undefined ? ['BullMQ is left out: this machine has no Redis.'] : []),
          'Committed events of 1 KB, none of them placed in the feed yet, of 200 accounts with one subscription each; one worker with default settings. ' +
            'Counted at the receiver, from the 6,000th request of a round on. The raw loop signs and sends as many bytes to the same targets by the same transport, 64 at a time.',
          ...profileOf(cpu.raw, cpu.callboard),
        ],
      }
    } finally {
      await bench.pool.end()
      await sink.stop()
      await redis?.stop()
      await postgres.stop()
    }
  },
}

/** Where the processors' time went, in the rounds that count. */
function profileOf(raw: readonly CpuTime[], callboard: readonly CpuTime[]): string[] {
  if (callboard.length === 0) return []
  const part = (of: readonly CpuTime[], name: keyof CpuTime): string =>
    figure(median(of.slice(1).map((time) => time[name])))
  return [
    `Of CPU a request of the raw loop took ${part(raw, 'contender')} µs of its process and ${part(raw, 'receiver')} of the receiver, a delivery ` +
      `${part(callboard, 'contender')} of the worker, ${part(callboard, 'receiver')} of the receiver and ${part(callboard, 'postgres')} of Postgres. ` +
      'The raw loop is held up by its one thread; all of the second core that it leaves is what Postgres can have here. ' +
      'By samples of its processor, what the worker takes beyond that thread’s sending is collecting garbage, rows from Postgres read as text, ' +
      'what is written down made into arrays, and compiling, as its process is young.',
  ]
}

const RIVAL_JOBS = 5_000

/** The same deliveries for a rival, whose job brings all that it needs. */
function jobsTo(url: (target: number) => string): RivalJob[] {
  const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
  const body = 'x'.repeat(1_024)
  return Array.from({ length: RIVAL_JOBS }, (_, n) => ({ id: `job_${n}`, url: url(n % TARGETS), secret, body }))
}

/** Events of a round, committed and without a place in the feed: the worker's time is for that too. */
async function publish({ callboard, pool }: BenchCallboard): Promise<void> {
  for (let n = 0; n < REQUESTS; n += PUBLISHED_AT_ONCE)
    await callboard.publishMany(
      Array.from({ length: Math.min(PUBLISHED_AT_ONCE, REQUESTS - n) }, (_, i) =>
        noteEvent(`acc_${(n + i) % TARGETS}`, n),
      ),
    )
  await pool.query('vacuum analyze')
}

let published = 0

/** Each delivery has its one row in the log: a worker that has stopped has written down all that it did. */
async function assertRecorded({ pool }: BenchCallboard): Promise<void> {
  published += REQUESTS
  const { rows } = await pool.query(`select count(*)::int as n from callboard.attempts where outcome = 'delivered'`)
  if (rows[0]?.n !== published) throw new Error(`${rows[0]?.n} attempts recorded of ${published}`)
}
