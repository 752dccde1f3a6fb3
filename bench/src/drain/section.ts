import { availableParallelism } from 'node:os'
import { engineOf } from '@callboard/core/engine'
import { arrange } from '../lib/arrange.ts'
import { type BenchCallboard, noteEvent, openBenchCallboard, subscribe } from '../lib/bench-callboard.ts'
import { startBenchPostgres } from '../lib/bench-postgres.ts'
import { figure, spread } from '../lib/format.ts'
import { alternate, median, ratios } from '../lib/rounds.ts'
import type { Section, Table } from '../lib/section.ts'
import { startSink } from '../lib/sink.ts'
import { makeAttempts } from '../rivals/attempt-log.ts'
import { drainRival } from '../rivals/drain-rival.ts'
import type { RivalJob } from '../rivals/rival.ts'
import { RIVALS, type RivalName } from '../rivals/rivals.ts'
import { countArrivals, REQUESTS, withContender } from './contender.ts'
import type { CpuTime } from './cpu-time.ts'
import { fillBareQueue } from './fill-bare-queue.ts'
import { PROFILE, PROFILE_NOTES } from './profile.ts'

const TARGETS = 200
const PUBLISHED_AT_ONCE = 500

const RAW = 'raw loop'
const RECORDED = 'raw loop with batched attempt inserts'
const QUEUE = 'bare queue'
const SEQUENCED = 'Callboard, events already sequenced'
const PUBLISHED = 'Callboard, events only published'
const OURS = [RAW, RECORDED, QUEUE, SEQUENCED, PUBLISHED] as const
type Ours = (typeof OURS)[number]
const MODULES: Readonly<Record<Ours, URL>> = {
  [RAW]: new URL('./raw-loop.ts', import.meta.url),
  [RECORDED]: new URL('./raw-loop.ts', import.meta.url),
  [QUEUE]: new URL('./bare-queue.ts', import.meta.url),
  [SEQUENCED]: new URL('./callboard-worker.ts', import.meta.url),
  [PUBLISHED]: new URL('./callboard-worker.ts', import.meta.url),
}

export const section: Section = {
  title: 'Draining deliveries from Postgres',
  async measure() {
    const postgres = await startBenchPostgres()
    const sink = await startSink()
    const bench = openBenchCallboard(postgres.url)
    const rivals = Object.keys(RIVALS) as RivalName[]
    const drainOf = async (name: RivalName): Promise<number> => {
      const rivalSink = await startSink()
      try {
        const servers = { postgres: postgres.url }
        return await drainRival({ name, servers, sink: rivalSink, jobs: jobsTo(rivalSink.url) })
      } finally {
        await rivalSink.stop()
      }
    }
    try {
      await arrange(bench, [])
      const urls = Array.from({ length: TARGETS }, (_, target) => sink.url(target))
      for (const [n, url] of urls.entries()) await subscribe(bench, `acc_${n}`, url)
      const arrivals = countArrivals(sink)
      const cpu: Record<Ours, CpuTime[]> = { [RAW]: [], [RECORDED]: [], [QUEUE]: [], [SEQUENCED]: [], [PUBLISHED]: [] }
      const run = async (name: Ours): Promise<number> => {
        const record = name === RECORDED
        if (record) await makeAttempts(postgres.url)
        if (name === QUEUE) await fillBareQueue(postgres.url, urls, REQUESTS)
        const order = { postgresUrl: postgres.url, requests: REQUESTS, record, sink: { ca: sink.ca, urls } }
        const perSecond = await withContender(MODULES[name], order, arrivals.round)
        if (name === QUEUE) await assertQueueIsDone(bench)
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
        [QUEUE]: () => run(QUEUE),
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
          ...cpuTable(cpu, median(reached[RECORDED])),
          ...PROFILE,
        ],
        goals: ([SEQUENCED, PUBLISHED] as const).flatMap((name) => [
          {
            what: `${name}, relative to the raw loop with batched attempt inserts`,
            atLeast: name === SEQUENCED ? 0.85 : 0.8,
            rounds: ratios(reached[name], reached[RECORDED]),
          },
          {
            what: `${name}, relative to the lower of 3 × the best rival and 0.8 × the raw loop`,
            atLeast: 1,
            rounds: ratios(reached[name], lower),
          },
        ]),
        notes: [
          'Committed events of 1 KB from 200 accounts with one subscription each; one worker with default settings. ' +
            'Already sequenced: each event has its position in the feed before the round starts, so the worker can ' +
            "lease its delivery at once, as a rival's worker can take a job that is already queued. " +
            'Only published: no event has a position yet, and the worker sequences them while it delivers. ' +
            'Requests are counted at the receiver, from the 6,000th to the 16,000th of each round. ' +
            'The raw loop signs and sends requests of the same size to the same targets with the same transport, ' +
            '64 at a time.',
          'The raw loop with batched attempt inserts has none of the parts of a queue: no lease, no cursor, no fence. ' +
            'The bare queue adds only these: one statement leases up to 32 lanes and reads up to 10 jobs of each, and ' +
            'one statement records the attempts and moves the cursors. It has no retries, order, encrypted secrets, ' +
            'personal data or limits.',
          `Relative to the raw loop with batched attempt inserts, the bare queue reaches ${spread(
            ratios(reached[QUEUE], reached[RECORDED]),
          )}. All contenders share the cores with the receiver and Postgres. The last column of the ` +
            'table of CPU times is therefore the highest ratio that is possible at this cost. The ratio of the bare ' +
            'queue is lower, because its own thread, the receiver and Postgres also wait for each other.',
          ...PROFILE_NOTES,
        ],
      }
    } finally {
      await bench.pool.end()
      await sink.stop()
      await postgres.stop()
    }
  },
}

/**
 * The CPU time per request, by process, and the highest rate possible at this cost; no table if the machine does not
 * report CPU times.
 *
 * @param recorded the rate of the raw loop with batched attempt inserts
 */
function cpuTable(cpu: Readonly<Record<Ours, readonly CpuTime[]>>, recorded: number): Table[] {
  if (cpu[RAW].length === 0) return []
  const rows = OURS.map((name) => {
    const part = (of: keyof CpuTime): number => median(cpu[name].slice(1).map((time) => time[of]))
    const parts = [part('contender'), part('receiver'), part('postgres')]
    const all = parts.reduce((sum, each) => sum + each, 0)
    const most = (availableParallelism() * 1e6) / all
    return [name, ...[...parts, all, most, most / recorded].map(figure)]
  })
  const columns = [
    'CPU µs per request',
    'own process',
    'receiver',
    'Postgres',
    'all',
    'requests/s if every core were busy',
    'relative to the recording raw loop',
  ]
  return [{ columns, rows }]
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
  while ((await deliveries.sequence(PUBLISHED_AT_ONCE)).sequenced > 0);
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

/** Throws unless the bare queue has recorded one attempt for each job. */
async function assertQueueIsDone({ pool }: BenchCallboard): Promise<void> {
  const { rows } = await pool.query(
    'select count(*)::int as n, count(distinct position)::int as jobs from queue_attempt',
  )
  const { n, jobs } = rows[0] ?? {}
  if (n !== REQUESTS || jobs !== REQUESTS) throw new Error(`${n} attempts for ${jobs} of ${REQUESTS} jobs`)
}
