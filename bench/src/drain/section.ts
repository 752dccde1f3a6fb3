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
const RECORDED = 'raw loop that inserts its attempts, many at a time'
const PLACED = 'Callboard, from the feed'
const PUBLISHED = 'Callboard, from what was published'
const OURS = [RAW, RECORDED, PLACED, PUBLISHED] as const
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
      const cpu: Record<Ours, CpuTime[]> = { [RAW]: [], [RECORDED]: [], [PLACED]: [], [PUBLISHED]: [] }
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
      const drain = async (name: typeof PLACED | typeof PUBLISHED): Promise<number> => {
        await publish(bench)
        if (name === PLACED) await place(bench)
        await bench.pool.query('vacuum analyze')
        const perSecond = await run(name)
        await assertRecorded(bench)
        return perSecond
      }
      const reached = await alternate({
        [RAW]: () => run(RAW),
        [RECORDED]: () => run(RECORDED),
        [PLACED]: () => drain(PLACED),
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
        goals: ([PLACED, PUBLISHED] as const).flatMap((name) => [
          { what: `${name}, beside the raw loop`, atLeast: 0.8, rounds: ratios(reached[name], reached[RAW]) },
          {
            what: `${name}, beside the lower of 3 × the best rival and 0.8 × the raw loop`,
            atLeast: 1,
            rounds: ratios(reached[name], lower),
          },
        ]),
        notes: [
          ...(redis === undefined ? ['BullMQ is left out: this machine has no Redis.'] : []),
          'Committed events of 1 KB of 200 accounts with one subscription each; one worker with default settings. From the feed: each has its place there, is a delivery that may be ' +
            'taken, as the jobs of the rivals are when they begin. From what was published: none has a place yet, and the worker gives them theirs meanwhile. ' +
            'Counted at the receiver, from the 6,000th request of a round on. The raw loop signs and sends as many bytes to the same targets by the same transport, 64 at a time.',
          `With a log alone the raw loop goes at ${spread(ratios(reached[RECORDED], reached[RAW]))} of its rate, and that is without anything of a queue: no lease, no cursor, no fence.`,
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

/** Where the processors' time went, in the rounds that count. */
function profileOf(cpu: Readonly<Record<Ours, readonly CpuTime[]>>): string[] {
  if (cpu[RAW].length === 0) return []
  const each = OURS.map((name) => {
    const part = (of: keyof CpuTime): number => median(cpu[name].slice(1).map((time) => time[of]))
    const [contender, receiver, postgres] = [part('contender'), part('receiver'), part('postgres')]
    const most = (availableParallelism() * 1e6) / (contender + receiver + postgres)
    return `${name} ${figure(contender)} of its process, ${figure(receiver)} of the receiver and ${figure(postgres)} of Postgres: with every processor busy, ${figure(most)} a second`
  })
  return [
    `Of CPU, in µs a request: ${each.join('; ')}. The raw loop is held up by its one thread; Postgres has what it and the receiver leave. ` +
      'By samples of its processor, what the worker takes beyond that thread’s sending is collecting garbage, reading rows, making arrays of what is written down, ' +
      'connections that more than one request to a target at a time opens, and compiling, as its process is young.',
  ]
}

const RIVAL_JOBS = 5_000

/** The same deliveries for a rival, whose job brings all that it needs. */
function jobsTo(url: (target: number) => string): RivalJob[] {
  const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
  const body = 'x'.repeat(1_024)
  return Array.from({ length: RIVAL_JOBS }, (_, n) => ({ id: `job_${n}`, url: url(n % TARGETS), secret, body }))
}

/** Events of a round, committed and without a place in the feed. */
async function publish({ callboard }: BenchCallboard): Promise<void> {
  for (let n = 0; n < REQUESTS; n += PUBLISHED_AT_ONCE)
    await callboard.publishMany(
      Array.from({ length: Math.min(PUBLISHED_AT_ONCE, REQUESTS - n) }, (_, i) =>
        noteEvent(`acc_${(n + i) % TARGETS}`, n),
      ),
    )
}

/** As a worker does, before it begins. */
async function place({ callboard }: BenchCallboard): Promise<void> {
  const { deliveries } = engineOf(callboard).store
  while ((await deliveries.sequence(PUBLISHED_AT_ONCE)) > 0);
}

let published = 0

/** Each delivery has its one row in the log: a worker that has stopped has written down all that it did. */
async function assertRecorded({ pool }: BenchCallboard): Promise<void> {
  published += REQUESTS
  const { rows } = await pool.query(`select count(*)::int as n from callboard.attempts where outcome = 'delivered'`)
  if (rows[0]?.n !== published) throw new Error(`${rows[0]?.n} attempts recorded of ${published}`)
}
