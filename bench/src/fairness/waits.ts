import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from 'pg'
import { type Role, startRole } from '../latency/role.ts'
import { createAccounts, createTables } from '../lib/arrange.ts'
import { publishNotes, sequenceAll } from '../lib/backlog.ts'
import { openBenchCallboard } from '../lib/bench-callboard.ts'
import { startBenchPostgres } from '../lib/bench-postgres.ts'
import { machineMs } from '../lib/helper.ts'
import { alternate, quantile, type Rounds } from '../lib/rounds.ts'
import { type Sink, startSink } from '../lib/sink.ts'

/** How many accounts wait for a host that never answers. */
export const WAITING = 10_000
export const A_SECOND = 50
/** How many events each round publishes: `A_SECOND` per second for two seconds. */
const EVENTS = 100
/** Enough rounds for 500 events, so that the five slowest events decide the p99. */
const ROUNDS = 5
/** How many events warm up a round's new worker: `A_SECOND` per second for half a second. */
const WARM_UP = 25
/** How long to wait for missing events after the last event of a round was published. */
const LONGEST_MS = 1_000
/** A delay that no run outlasts: 24 days, the longest that a timer accepts. */
const NEVER_MS = 2 ** 31 - 1

type Beside = 'nobody' | 'waiting'

/** The figures of all rounds after the warm-up. */
export interface Waits {
  /** For each event, the milliseconds from its publishing to its arrival, or until the round stopped waiting. */
  readonly took: number[]
  /** How many events had not arrived after `LONGEST_MS`. */
  missing: number
}

export interface MeasuredWaits {
  /** In milliseconds. */
  readonly p50: Rounds<Beside>
  readonly all: Readonly<Record<Beside, Waits>>
}

/**
 * Measures how long single events of one account take to arrive: while nothing else is due, and while {@link WAITING}
 * accounts have an event for a host that never answers.
 */
export async function measureWaits(): Promise<MeasuredWaits> {
  const postgres = await startBenchPostgres()
  const sink = await startSink({ stamp: true })
  const silent = await startSink({ delayMs: NEVER_MS })
  const bench = openBenchCallboard(postgres.url)
  const order = { url: postgres.url, ca: `${sink.ca}\n${silent.ca}`, targets: [sink.url(0)] }
  const publisher = startRole()
  try {
    await createTables(bench)
    await createAccounts(bench, order.targets)
    const waiting = Array.from({ length: WAITING }, () => silent.url(0))
    await createAccounts(bench, waiting, (n) => `waiting_${n}`)
    await publishNotes(bench, WAITING, (n) => `waiting_${n}`)
    await sequenceAll(bench)
    await publisher.ask('openPublisher', 'callboard', order)
    const meter = createMeter(sink, publisher)
    const all: Record<Beside, Waits[]> = { nobody: [], waiting: [] }
    const round = async (beside: Beside): Promise<number> => {
      await reset(bench.pool, beside)
      const worker = startRole()
      await worker.ask('work', 'callboard', order)
      await meter(WARM_UP)
      const metered = await meter(EVENTS)
      if (beside === 'waiting') await assertWaiting(bench.pool)
      await worker.stop()
      all[beside].push(metered)
      return quantile(metered.took, 0.5)
    }
    const p50 = await alternate({ nobody: () => round('nobody'), waiting: () => round('waiting') }, ROUNDS)
    return { p50, all: { nobody: together(all.nobody), waiting: together(all.waiting) } }
  } finally {
    await publisher.stop()
    await bench.pool.end()
    await silent.stop()
    await sink.stop()
    await postgres.stop()
  }
}

/** Leaves out the first round, a warm-up. */
function together([, ...rounds]: readonly Waits[]): Waits {
  return {
    took: rounds.flatMap(({ took }) => took),
    missing: rounds.reduce((sum, { missing }) => sum + missing, 0),
  }
}

/** Returns a function that publishes events and measures how long each takes to arrive. */
function createMeter(sink: Sink, publisher: Role): (events: number) => Promise<Waits> {
  const arrivals = new Map<string, number>()
  let received = 0
  return async (events) => {
    const sent = await publisher.ask('publish', events, A_SECOND)
    const until = machineMs() + LONGEST_MS
    let missing = events
    // An arrival may be a late event of an earlier round, so the missing events are counted again after each wait.
    while (missing > 0 && machineMs() < until) {
      await Promise.race([sink.until(received + missing), delay(until - machineMs())])
      const arrived = await sink.arrivals()
      received += arrived.length
      for (const [id, at] of arrived) arrivals.set(id, at)
      missing = sent.filter(([id]) => !arrivals.has(id)).length
    }
    const gaveUpAt = machineMs()
    return { took: sent.map(([id, at]) => (arrivals.get(id) ?? gaveUpAt) - at), missing }
  }
}

/**
 * Prepares the next round: releases the leases of the last round's worker, and skips the undelivered events of the
 * measured account. Makes the lanes of the waiting accounts due only if `beside` is `waiting`.
 */
async function reset(pool: Pool, beside: Beside): Promise<void> {
  await pool.query(
    `update callboard.lanes
     set state = 'idle', worker = null, epoch = epoch + 1,
       settled_through = case when starts_with(account_id, 'waiting_') then settled_through else head end,
       wake_at = case when starts_with(account_id, 'waiting_') and $1::boolean then callboard.clock() end`,
    [beside === 'waiting'],
  )
  await pool.query('vacuum analyze')
}

/** Throws unless at least 90 % of the waiting accounts are due. The others have a request open. */
async function assertWaiting(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ due: number }>(
    `select count(*)::int as due from callboard.lanes
     where starts_with(account_id, 'waiting_') and state = 'idle' and wake_at <= callboard.clock()`,
  )
  const due = rows[0]?.due ?? 0
  if (due < 0.9 * WAITING) throw new Error(`only ${due} of ${WAITING} accounts are due`)
}
