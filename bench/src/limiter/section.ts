import { createTables } from '../lib/arrange.ts'
import { openBenchCallboard } from '../lib/bench-callboard.ts'
import { startBenchPostgres } from '../lib/bench-postgres.ts'
import { figure, spread } from '../lib/format.ts'
import { alternate, median, type Rounds, ratios } from '../lib/rounds.ts'
import type { Goal, Section } from '../lib/section.ts'
import { type Contenders, inMemory, inPostgres, type Take } from './contenders.ts'

const MANY = 1000

interface Case {
  readonly where: 'memory' | 'Postgres'
  readonly keys: number
  readonly clients: number
}

const CASES: readonly Case[] = [
  { where: 'memory', keys: 1, clients: 1 },
  { where: 'memory', keys: MANY, clients: 1 },
  { where: 'Postgres', keys: 1, clients: 1 },
  { where: 'Postgres', keys: MANY, clients: 1 },
  { where: 'Postgres', keys: 1, clients: 8 },
  { where: 'Postgres', keys: MANY, clients: 8 },
]

export const section: Section = {
  title: 'Rate limiter, three windows',
  async measure({ quick }) {
    const postgres = await startBenchPostgres()
    const bench = openBenchCallboard(postgres.url)
    await createTables(bench)
    const contenders: Record<Case['where'], Readonly<Record<number, Contenders>>> = {
      memory: { 1: inMemory(1), [MANY]: inMemory(MANY) },
      Postgres: { 1: await inPostgres(bench.pool, 1), [MANY]: await inPostgres(bench.pool, MANY) },
    }
    await bench.pool.query('vacuum analyze')
    const goals: Goal[] = []
    const rows: string[][] = []
    const limits: string[] = []
    for (const each of CASES.filter(({ where }) => !quick || where === 'memory')) {
      const { where, keys, clients } = each
      const of = contenders[where][keys]
      if (of === undefined) throw new Error('no contenders')
      const round = (take: Take) => () => perSecond(take, each)
      const reached = await alternate({
        callboard: round(of.callboard),
        union: round(of.union),
        inTurn: round(of.inTurn),
      })
      const title = `${where}, ${keysOf(keys)}, ${clients} at a time`
      rows.push([title, spread(reached.callboard), spread(reached.union), spread(reached.inTurn)])
      goals.push({
        what: `÷ the better rival: ${title}`,
        atLeast: 2,
        guard: 1.9,
        rounds: ratios(reached.callboard, better(reached)),
      })
      if (of.nothing === undefined || clients > 1) continue
      const { nothing } = await alternate({ nothing: round(of.nothing) })
      limits.push(`${figure(median(nothing) / median(better(reached)))} with ${keysOf(keys)}`)
    }
    await bench.pool.end()
    await postgres.stop()
    return {
      figures: [],
      goals,
      tables: [{ columns: ['requests/s', 'Callboard', 'rival, union', 'rival, one after another'], rows }],
      method:
        'A request counts in three windows. The rivals are rate-limiter-flexible’s `RateLimiterUnion` and three ' +
        'of its limiters one after another, with a table like Callboard’s.',
      missed:
        'Requests that arrive while a statement is in flight share the next one. A single client shares none: each of ' +
        'its requests is one round trip, while the union sends its three statements at once. An empty statement would ' +
        `reach ${limits.join(' and ')}.`,
    }
  },
}

const keysOf = (keys: number): string => (keys === 1 ? 'one key' : `${figure(keys)} keys`)

function better({ union, inTurn }: Rounds<'union' | 'inTurn'>): number[] {
  return union.map((value, round) => Math.max(value, inTurn[round] ?? 0))
}

async function perSecond(take: Take, { where, keys, clients }: Case): Promise<number> {
  const start = performance.now()
  const until = start + (where === 'memory' ? 300 : 500)
  let done = 0
  // Each request takes the next key, so concurrent requests have different keys unless there is only one key.
  const client = async (): Promise<void> => {
    while (performance.now() < until) for (let times = 0; times < 10; times++) await take(done++ % keys)
  }
  await Promise.all(Array.from({ length: clients }, client))
  return (done * 1000) / (performance.now() - start)
}
