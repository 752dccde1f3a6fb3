import { setTimeout as delay } from 'node:timers/promises'
import { engineOf } from '@callboard/core/engine'
import type { Pool } from 'pg'
import type { Role } from '../latency/role-process.ts'
import { accountOf, arrange } from '../lib/arrange.ts'
import { type BenchCallboard, noteEvent, openBenchCallboard } from '../lib/bench-callboard.ts'
import { startBenchPostgres } from '../lib/bench-postgres.ts'
import { machineMs, startHelper } from '../lib/helper.ts'
import { alternate, quantile, type Rounds } from '../lib/rounds.ts'
import { type Sink, startSink } from '../lib/sink.ts'
import { copyAccounts, createAccounts } from './accounts.ts'

/** How many accounts wait for a host that never answers. */
export const WAITING = 10_000
export const A_SECOND = 50
/** How many events each round publishes: `A_SECOND` per second for two seconds. */
export const EVENTS = 100
/** Enough rounds for 500 events, so that the five slowest events decide the p99. */
export const ROUNDS = 5
/** How many events warm up a round's new worker: `A_SECOND` per second for half a second. */
const WARM_UP = 25
/** How long to wait for missing events after the last event of a round was published. */
export const LONGEST_MS = 1_000
/** A delay that no run outlasts: 24 days, the longest that a timer accepts. */
const NEVER_MS = 2 ** 31 - 1
const AT_ONCE = 500

type Beside = 'nobody' | 'waiting'

/** The figures of all rounds after the warm-up. */
export interface Waits {
  /** For each event, the milliseconds from its publishing to its arrival, or until the round stopped waiting. */
  readonly took: number[]
  /** How many events had not arrived after `LONGEST_MS`. */
  missing: number
  /** How many times one call of the worker both sequenced an event and leased its lane. */
  leasedAtOnce: number
  /** How many waiting accounts had a request open at the end of each round. */
  readonly open: number[]
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
  const roles: Role[] = []
  const startRole = async (start: 'work' | 'publish'): Promise<Role> => {
    const role: Role = startHelper(new URL('../latency/role-process.ts', import.meta.url))
    roles.push(role)
    const target = { ca: `${sink.ca}\n${silent.ca}`, targets: [sink.url(0)] }
    await role.ask({ start, contender: 'callboard', url: postgres.url, ...target })
    return role
  }
  try {
    await arrangeWaiting(bench, { target: sink.url(0), silent: silent.url(0) })
    const meter = createMeter(sink, await startRole('publish'))
    const all: Record<Beside, Waits[]> = { nobody: [], waiting: [] }
    const round = async (beside: Beside): Promise<number> => {
      await reset(bench.pool, beside)
      const worker = await startRole('work')
      await meter(WARM_UP)
      await worker.ask({ how: 'took it' })
      const metered = await meter(EVENTS)
      const { steps } = await worker.ask({ how: 'took it' })
      const open = await countOpen(bench.pool, beside)
      await worker.stop()
      all[beside].push({ ...metered, leasedAtOnce: steps['sequenced and leased']?.length ?? 0, open: [open] })
      return quantile(metered.took, 0.5)
    }
    const p50 = await alternate({ nobody: () => round('nobody'), waiting: () => round('waiting') }, ROUNDS)
    return { p50, all: { nobody: together(all.nobody), waiting: together(all.waiting) } }
  } finally {
    for (const role of roles) await role.stop()
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
    leasedAtOnce: rounds.reduce((sum, { leasedAtOnce }) => sum + leasedAtOnce, 0),
    open: rounds.flatMap(({ open }) => open),
  }
}

interface Urls {
  readonly target: string
  readonly silent: string
}

/** Creates the tables, the measured account, and the waiting accounts. Each waiting account has one sequenced event. */
async function arrangeWaiting(bench: BenchCallboard, { target, silent }: Urls): Promise<void> {
  await arrange(bench, [])
  await createAccounts(bench, accountOf, [target])
  await createAccounts(bench, (n) => `silent_${n}`, [silent])
  await copyAccounts(bench.pool, { from: 'silent_', to: 'waiting_', count: WAITING })
  const events = Array.from({ length: WAITING }, (_, n) => noteEvent(`waiting_${n}`, n))
  for (let n = 0; n < WAITING; n += AT_ONCE) await bench.callboard.publishMany(events.slice(n, n + AT_ONCE))
  const { store } = engineOf(bench.callboard)
  while ((await store.deliveries.sequence(AT_ONCE)).sequenced > 0);
}

/** Returns a function that publishes events and measures how long each takes to arrive. */
function createMeter(sink: Sink, publisher: Role): (events: number) => Promise<Pick<Waits, 'took' | 'missing'>> {
  const arrivals = new Map<string, number>()
  let received = 0
  return async (events) => {
    const { sent } = await publisher.ask({ publish: events, aSecond: A_SECOND })
    const until = machineMs() + LONGEST_MS
    const countMissing = (): number => sent.filter(([id]) => !arrivals.has(id)).length
    let missing = events
    // An arrival may be a late event of an earlier round, so the missing events are counted again after each wait.
    while (missing > 0 && machineMs() < until) {
      await Promise.race([sink.until(received + missing), delay(until - machineMs())])
      const arrived = await sink.arrivals()
      received += arrived.length
      for (const [id, at] of arrived) arrivals.set(id, at)
      missing = countMissing()
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

/**
 * Returns how many waiting accounts have a request open. If `beside` is `waiting`, throws unless at least 90 % of the
 * waiting accounts are due.
 */
async function countOpen(pool: Pool, beside: Beside): Promise<number> {
  const { rows } = await pool.query<{ due: number; open: number }>(
    `select count(*) filter (where state = 'idle' and wake_at <= callboard.clock())::int as due,
       count(*) filter (where state = 'leased')::int as open
     from callboard.lanes where starts_with(account_id, 'waiting_')`,
  )
  const { due = 0, open = 0 } = rows[0] ?? {}
  if (beside === 'waiting' && due < 0.9 * WAITING) throw new Error(`only ${due} of ${WAITING} accounts are due`)
  return open
}
