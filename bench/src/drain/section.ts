import { availableParallelism } from 'node:os'
import { engineOf } from '@callboard/core/engine'
import { migrate } from '@callboard/store-postgres'
import { type BenchCallboard, noteEvent, openBenchCallboard, subscribe } from '../lib/bench-callboard.ts'
import { startBenchPostgres } from '../lib/bench-postgres.ts'
import { figure, spread } from '../lib/format.ts'
import { alternate, median, ratios } from '../lib/rounds.ts'
import type { Section } from '../lib/section.ts'
import { startSink } from '../lib/sink.ts'
import { makeAttempts } from '../rivals/attempt-log.ts'
import { drainRival } from '../rivals/drain-rival.ts'
import { startRedis } from '../rivals/redis-server.ts'
import type { RivalJob } from '../rivals/rival.ts'
import { RIVALS, type RivalName } from '../rivals/rivals.ts'
import { countArrivals, REQUESTS, withContender } from './contender.ts'
import type { CpuTime } from './cpu-time.ts'

const TARGETS = 200
const PUBLISHED_AT_ONCE = 500

const RAW = 'raw loop'
const RECORDED = 'raw loop with batched attempt inserts'
const SEQUENCED = 'Callboard, events already sequenced'
const PUBLISHED = 'Callboard, events only published'
const OURS = [RAW, RECORDED, SEQUENCED, PUBLISHED] as const
type Ours = (typeof OURS)[number]

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
      const arrivals = countArrivals(sink)
      const cpu: Record<Ours, CpuTime[]> = { [RAW]: [], [RECORDED]: [], [SEQUENCED]: [], [PUBLISHED]: [] }
      const run = async (name: Ours): Promise<number> => {
        const record = name === RECORDED
        if (record) await makeAttempts(postgres.url)
        const module =
          name === RAW || record
            ? new URL('./raw-loop.ts', import.meta.url)
            : new URL('./callboard-worker.ts', import.meta.url)
        const order = { postgresUrl: postgres.url, requests: REQUESTS, record, sink: { ca: sink.ca, urls } }
        const perSecond = await withContender(module, order, arrivals.round)
        cpu[name].push(...[arrivals.cpu()].filter((time) => time !== undefined))
        return perSecond
      }
      const drain = async (name: typeof SEQUENCED | typeof PUBLISHED): Promise<number> => {
        await publish(bench)
        if (name === SEQUENCED) await sequence(bench)
        await bench.pool.query('vacuum analyze')
        const perSecond = await run(name)
        await assertRecorded(bench)
        return perSecond
      }
      const reached = await alternate({
        [RAW]: () => run(RAW),
        [RECORDED]: () => run(RECORDED),
        [SEQUENCED]: () => drain(SEQUENCED),
        [PUBLISHED]: () => drain(PUBLISHED),
        ...Object.fromEntries(rivals.map((name) => [name, () => drainOf(name)])),
      } as Record<Ours | RivalName, () => Promise<number>>)
      const best = reached[RAW].map((_, round) => Math.max(...rivals.map((name) => reached[name][round] ?? 0)))
      const lower = best.map((rival, round) => Math.min(3 * rival, 0.8 * (reached[RAW][round] ?? 0)))
      return {
        tables: [
          {
            columns: ['', 'deliveries/s'],
            rows: Object.entries(reached).map(([name, rounds]) => [name, spread(rounds)]),
          },
        ],
        goals: ([SEQUENCED, PUBLISHED] as const).flatMap((name) => [
          { what: `${name}, relative to the raw loop`, atLeast: 0.8, rounds: ratios(reached[name], reached[RAW]) },
          {
            what: `${name}, relative to the lower of 3 × the best rival and 0.8 × the raw loop`,
            atLeast: 1,
            rounds: ratios(reached[name], lower),
          },
        ]),
        notes: [
          ...(redis === undefined ? ['BullMQ is omitted: this machine has no Redis.'] : []),
          'Committed events of 1 KB from 200 accounts with one subscription each; one worker with default settings. ' +
            'Already sequenced: each event has its position in the feed before the round starts, so the worker can ' +
            "lease its delivery at once, as a rival's worker can take a job that is already queued. " +
            'Only published: no event has a position yet, and the worker sequences them while it delivers. ' +
            'Requests are counted at the receiver, from the 6,000th to the 16,000th of each round. ' +
            'The raw loop signs and sends requests of the same size to the same targets with the same transport, ' +
            '64 at a time.',
          `Recording the attempts slows the raw loop to ${spread(ratios(reached[RECORDED], reached[RAW]))} of its ` +
            'rate, although it needs none of the parts of a queue: no lease, no cursor, no fence.',
          ...profileOf(cpu),
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

/**
 * Describes how much CPU time a request costs in the contender, the receiver and Postgres. Returns an empty array if
 * the machine does not report CPU times.
 */
function profileOf(cpu: Readonly<Record<Ours, readonly CpuTime[]>>): string[] {
  if (cpu[RAW].length === 0) return []
  const each = OURS.map((name) => {
    const part = (of: keyof CpuTime): number => median(cpu[name].slice(1).map((time) => time[of]))
    const [contender, receiver, postgres] = [part('contender'), part('receiver'), part('postgres')]
    const most = (availableParallelism() * 1e6) / (contender + receiver + postgres)
    return (
      `${name}: ${figure(contender)} in its process, ${figure(receiver)} in the receiver, ` +
      `${figure(postgres)} in Postgres: at most ${figure(most)} requests/s if every core were busy`
    )
  })
  return [
    `CPU per request, in µs. ${each.join('; ')}. ` +
      'The raw loop is limited by its one thread; Postgres gets the CPU time that the loop and the receiver leave. ' +
      'Compared with the raw loop, CPU samples show that the worker also spends time on garbage collection, reading ' +
      'rows, building arrays of attempts to record, more connections (requests to one target overlap), and ' +
      'compiling, because its process is young.',
  ]
}

const RIVAL_JOBS = 5_000

/** Deliveries like Callboard's, as jobs for a rival. Each job contains everything needed to send the request. */
function jobsTo(url: (target: number) => string): RivalJob[] {
  const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
  const body = 'x'.repeat(1_024)
  return Array.from({ length: RIVAL_JOBS }, (_, n) => ({ id: `job_${n}`, url: url(n % TARGETS), secret, body }))
}

/** Publishes and commits the events of a round, without sequencing them. */
async function publish({ callboard }: BenchCallboard): Promise<void> {
  for (let n = 0; n < REQUESTS; n += PUBLISHED_AT_ONCE)
    await callboard.publishMany(
      Array.from({ length: Math.min(PUBLISHED_AT_ONCE, REQUESTS - n) }, (_, i) =>
        noteEvent(`acc_${(n + i) % TARGETS}`, n),
      ),
    )
}

/** Sequences all published events: gives each its position in the feed, as a worker does. */
async function sequence({ callboard }: BenchCallboard): Promise<void> {
  const { deliveries } = engineOf(callboard).store
  while ((await deliveries.sequence(PUBLISHED_AT_ONCE)) > 0);
}

let published = 0

/**
 * Throws unless the log has exactly one row for each delivery. The worker has stopped by now, and a worker records all
 * its attempts before it stops.
 */
async function assertRecorded({ pool }: BenchCallboard): Promise<void> {
  published += REQUESTS
  const { rows } = await pool.query(`select count(*)::int as n from callboard.attempts where outcome = 'delivered'`)
  if (rows[0]?.n !== published) throw new Error(`${rows[0]?.n} of ${published} attempts recorded`)
}
