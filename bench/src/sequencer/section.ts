import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from 'pg'
import { accountOf, arrange } from '../lib/arrange.ts'
import { type BenchCallboard, noteEvent, openBenchCallboard } from '../lib/bench-callboard.ts'
import { startBenchPostgres } from '../lib/bench-postgres.ts'
import { figure, spread } from '../lib/format.ts'
import { type Helper, startHelper } from '../lib/helper.ts'
import type { LoadAsk, LoadCount } from '../lib/load-process.ts'
import type { Section } from '../lib/section.ts'
import type { SequencingAnswer, SequencingAsk } from './sequencing-process.ts'

const WORKERS = [1, 2, 4]
const TARGETS = 200
const EVENTS = 10_000
const PUBLISHED_AT_ONCE = 500
const ROUNDS = 3
const SAMPLE_MS = 10

const sequencing = new URL('./sequencing-process.ts', import.meta.url)
const load = new URL('../lib/load-process.ts', import.meta.url)

/** One round: microseconds per event, and for each lock, how many of the workers' backends waited for it on average. */
interface Round {
  readonly wallUs: number
  readonly cpuUs: number
  readonly waits: Readonly<Record<string, number>>
}

export const section: Section = {
  title: 'Sequencing',
  async measure() {
    const postgres = await startBenchPostgres()
    const opened = openBenchCallboard(postgres.url)
    const { pool } = opened
    await arrange(
      opened,
      Array.from({ length: TARGETS }, (_, target) => `https://t${target}.bench.test/hook`),
    )
    const alone = new Map<number, Round[]>()
    const delivering = new Map<number, Round[]>()
    const helpers = await Promise.all(
      Array.from({ length: Math.max(...WORKERS) }, async () => {
        const helper = startHelper<SequencingAsk, SequencingAnswer>(sequencing)
        return { helper, ...(await helper.ask({ open: postgres.url })) }
      }),
    )
    for (let round = 0; round <= ROUNDS; round++)
      for (const workers of WORKERS) {
        await publish(opened)
        const measured = await measureAlone(pool, helpers.slice(0, workers))
        await release(pool)
        // The first round warms up.
        if (round > 0) add(alone, workers, measured)
      }
    for (const { helper } of helpers) await helper.stop()
    for (let round = 0; round < ROUNDS; round++)
      for (const workers of WORKERS) {
        await publish(opened)
        add(delivering, workers, await measureDelivering(pool, postgres.url, workers))
        await release(pool)
      }
    const sizes = await bytesPerRow(pool)
    await pool.end()
    await postgres.stop()

    const rowsOf = (measured: ReadonlyMap<number, readonly Round[]>): string[][] =>
      [...measured].map(([workers, rounds]) => [
        String(workers),
        spread(rounds.map(({ wallUs }) => wallUs)),
        spread(rounds.map(({ cpuUs }) => cpuUs)),
        waitsOf(rounds),
      ])
    return {
      tables: [
        {
          columns: ['workers that only sequence', 'µs per event', 'µs of Postgres CPU per event', 'waits'],
          rows: rowsOf(alone),
        },
        {
          columns: ['workers that deliver too', 'µs per event', 'µs of Postgres CPU per event', 'waits'],
          rows: rowsOf(delivering),
        },
      ],
      goals: [],
      notes: [
        `${figure(EVENTS)} committed events of 1 KB of ${TARGETS} accounts with one subscription each. Workers that ` +
          'only sequence have one connection each. Workers that deliver have a transport that answers at once, and ' +
          'the CPU time includes leasing and settling. ' +
          `The column “waits” shows how many of the workers' backends waited for each lock, on average over samples ` +
          `taken every ${SAMPLE_MS} ms.`,
        `Disk, with indexes: ${figure(sizes.events)} bytes for an event, ${figure(sizes.feed)} for its row in the feed, ` +
          `${figure(sizes.attempts)} for an attempt.`,
      ],
    }
  },
}

/** How much disk a row of each table takes, with its indexes. */
async function bytesPerRow(pool: Pool): Promise<{ events: number; feed: number; attempts: number }> {
  const of = async (table: string): Promise<number> => {
    const { rows } = await pool.query<{ bytes: number }>(
      `select pg_total_relation_size('callboard.${table}')::float8 / count(*) as bytes from callboard.${table}`,
    )
    return rows[0]?.bytes ?? Number.NaN
  }
  return { events: await of('events'), feed: await of('feed'), attempts: await of('attempts') }
}

let published = 0

async function publish({ callboard }: BenchCallboard): Promise<void> {
  for (let n = 0; n < EVENTS; n += PUBLISHED_AT_ONCE)
    await callboard.publishMany(
      Array.from({ length: PUBLISHED_AT_ONCE }, () => noteEvent(accountOf(published % TARGETS), published++)),
    )
}

/** Moves all lanes to the end of the feed, so that the next round starts without work, and vacuums the tables. */
async function release(pool: Pool): Promise<void> {
  await pool.query(
    `update callboard.lanes set cursor = head, state = 'idle', worker = null, epoch = epoch + 1, wake_at = null`,
  )
  await pool.query('vacuum analyze callboard.outbox, callboard.lanes, callboard.sequencer')
}

async function measureAlone(
  pool: Pool,
  workers: readonly { readonly helper: Helper<SequencingAsk, SequencingAnswer>; readonly pid: number }[],
): Promise<Round> {
  const pids = workers.map(({ pid }) => pid)
  const sampler = sampleWaits(pool, `pid = any ('{${pids.join()}}'::int[])`)
  const [since, cpuBefore] = [performance.now(), cpuUsOf(pids)]
  await Promise.all(workers.map(({ helper }) => helper.ask({ go: true })))
  const wallUs = ((performance.now() - since) * 1_000) / EVENTS
  const cpuUs = (cpuUsOf(pids) - cpuBefore) / EVENTS
  return { wallUs, cpuUs, waits: await sampler.stop() }
}

async function measureDelivering(pool: Pool, url: string, count: number): Promise<Round> {
  const workers = Array.from({ length: count }, () => startHelper<LoadAsk, LoadCount>(load))
  const own = (await pool.query('select pg_backend_pid() as pid')).rows[0].pid
  const others = `backend_type = 'client backend' and pid <> ${own} and application_name <> 'bench'`
  await Promise.all(workers.map((worker) => worker.ask({ how: 'goes it' })))
  const sampler = sampleWaits(pool, others)
  const since = performance.now()
  await Promise.all(workers.map((worker) => worker.ask({ work: url })))
  let pids: number[] = []
  for (let delivered = 0; delivered < EVENTS; ) {
    await delay(20)
    const counts = await Promise.all(workers.map((worker) => worker.ask({ how: 'goes it' })))
    delivered = counts.reduce((sum, each) => sum + each.delivered, 0)
    pids = (await pool.query(`select pid from pg_stat_activity where ${others}`)).rows.map(({ pid }) => pid)
  }
  const wallUs = ((performance.now() - since) * 1_000) / EVENTS
  // Each round opens new connections, so their backends have used no CPU time before this round.
  const cpuUs = cpuUsOf(pids) / EVENTS
  const waits = await sampler.stop()
  for (const worker of workers) await worker.stop()
  return { wallUs, cpuUs, waits }
}

/**
 * Reads every `SAMPLE_MS` milliseconds which locks the backends selected by `filter` are waiting for. `stop` returns,
 * for each lock, how many backends waited for it on average.
 */
function sampleWaits(pool: Pool, filter: string): { stop(): Promise<Record<string, number>> } {
  const counts: Record<string, number> = {}
  let [samples, going] = [0, true]
  const sample = async (): Promise<void> => {
    const client = await pool.connect()
    await client.query(`set application_name = 'bench'`)
    while (going) {
      const { rows } = await client.query(
        `select wait_event_type || ':' || wait_event as wait from pg_stat_activity
         where state = 'active' and wait_event_type in ('Lock', 'LWLock') and ${filter}`,
      )
      samples++
      for (const { wait } of rows) counts[wait] = (counts[wait] ?? 0) + 1
      await delay(SAMPLE_MS)
    }
    client.release()
  }
  const sampling = sample()
  return {
    async stop() {
      going = false
      await sampling
      return Object.fromEntries(Object.entries(counts).map(([wait, count]) => [wait, count / samples]))
    },
  }
}

/** The CPU time of processes so far, in microseconds; NaN if the machine has no `/proc`. */
function cpuUsOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const [user = '', system = ''] = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .slice(11, 13)
      return sum + (Number(user) + Number(system)) * 10_000
    } catch {
      return Number.NaN
    }
  }, 0)
}

function add(measured: Map<number, Round[]>, key: number, round: Round): void {
  measured.set(key, [...(measured.get(key) ?? []), round])
}

/** The three locks for which the most backends waited, on average over the rounds. */
function waitsOf(rounds: readonly Round[]): string {
  const sums: Record<string, number> = {}
  for (const { waits } of rounds)
    for (const [wait, share] of Object.entries(waits)) sums[wait] = (sums[wait] ?? 0) + share / rounds.length
  const longest = Object.entries(sums).sort(([, one], [, other]) => other - one)
  return longest
    .slice(0, 3)
    .map(([wait, share]) => `${wait} ${share.toFixed(2)}`)
    .join(', ')
}
