import { startBenchPostgres } from '../lib/bench-postgres.ts'
import { figure, spread } from '../lib/format.ts'
import { migrated } from '../lib/migrated.ts'
import { alternate, type Rounds, ratios } from '../lib/rounds.ts'
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
    const database = await migrated(postgres.url)
    const contenders: Record<Case['where'], Readonly<Record<number, Contenders>>> = {
      memory: { 1: inMemory(1), [MANY]: inMemory(MANY) },
      Postgres: { 1: await inPostgres(database, 1), [MANY]: await inPostgres(database, MANY) },
    }
    await database.pool.query('vacuum analyze')
    const goals: Goal[] = []
    const rows: string[][] = []
    for (const each of CASES.filter(({ where }) => !quick || where === 'memory')) {
      const { where, keys, clients } = each
      const of = contenders[where][keys]
      if (of === undefined) throw new Error('nobody to measure')
      const round = (take: Take) => () => perSecond(take, each)
      const reached = await alternate({
        callboard: round(of.callboard),
        union: round(of.union),
        inTurn: round(of.inTurn),
      })
      const title = `${where}, ${keys === 1 ? 'one key' : `${figure(keys)} keys`}, ${clients} at once`
      rows.push([title, spread(reached.callboard), spread(reached.union), spread(reached.inTurn)])
      goals.push({ what: title, atLeast: 2, guard: 1.9, rounds: ratios(reached.callboard, better(reached)) })
    }
    await database.pool.end()
    await postgres.stop()
    return {
      tables: [{ columns: ['requests/s', 'Callboard', 'its union', 'one after another'], rows }],
      goals,
      notes: [
        "Beside the better of rate-limiter-flexible's `RateLimiterUnion` and its three limiters one after another. Its table in Postgres is unlogged with fillfactor 25, as Callboard's is. Callboard finds the key by its hash in the same statement and takes from all windows or from none; rate-limiter-flexible counts a refused request in the windows that are not full.",
        'In Postgres: 80 µs of the server for the key, three windows and the answer in one statement, where each of the three inserts of rate-limiter-flexible takes about 25; a round trip is 75 to 120 µs here, and one client alone sends its three at once. About 100 µs of the 300 that one request takes from end to end are not explained yet.',
      ],
    }
  },
}

function better({ union, inTurn }: Rounds<'union' | 'inTurn'>): number[] {
  return union.map((value, round) => Math.max(value, inTurn[round] ?? 0))
}

async function perSecond(take: Take, { where, keys, clients }: Case): Promise<number> {
  const start = performance.now()
  const until = start + (where === 'memory' ? 300 : 700)
  let done = 0
  // By the number of a request, so that no two of those at once have the same key, unless there is one only.
  const client = async (): Promise<void> => {
    while (performance.now() < until) for (let times = 0; times < 10; times++) await take(done++ % keys)
  }
  await Promise.all(Array.from({ length: clients }, client))
  return (done * 1000) / (performance.now() - start)
}
