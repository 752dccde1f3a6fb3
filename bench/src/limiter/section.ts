import { startBenchPostgres } from '../lib/bench-postgres.ts'
import { figure, spread } from '../lib/format.ts'
import { migrated } from '../lib/migrated.ts'
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
    const database = await migrated(postgres.url)
    const contenders: Record<Case['where'], Readonly<Record<number, Contenders>>> = {
      memory: { 1: inMemory(1), [MANY]: inMemory(MANY) },
      Postgres: { 1: await inPostgres(database, 1), [MANY]: await inPostgres(database, MANY) },
    }
    await database.pool.query('vacuum analyze')
    const goals: Goal[] = []
    const rows: string[][] = []
    const besides: string[][] = []
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
      const title = `${where}, ${keys === 1 ? 'one key' : `${figure(keys)} keys`}, ${clients} at a time`
      rows.push([title, spread(reached.callboard), spread(reached.union), spread(reached.inTurn)])
      goals.push({ what: title, atLeast: 2, guard: 1.9, rounds: ratios(reached.callboard, better(reached)) })
      if (of.beside === undefined) continue
      const beside = await alternate({ admit: round(of.beside.admit), nothing: round(of.beside.nothing) })
      besides.push([title, spread(beside.admit), spread(beside.nothing)])
      if (clients === 1) limits.push(`${title}: ${figure(median(beside.nothing) / median(better(reached)))}`)
    }
    await database.pool.end()
    await postgres.stop()
    return {
      tables: [
        { columns: ['requests/s', 'Callboard', 'rival, union', 'rival, one after another'], rows },
        {
          columns: ['requests/s', 'Callboard’s admission, with key lookup', 'an empty statement'],
          rows: besides,
        },
      ],
      goals,
      notes: [
        "The goals compare with the better of rate-limiter-flexible's `RateLimiterUnion` and its three limiters one " +
          "after another. The rival's table in Postgres is unlogged with fillfactor 25, like Callboard's. Callboard " +
          'counts a request in all windows or in none; rate-limiter-flexible counts a refused request in the ' +
          'windows that are not full.',
        'In Postgres, requests that arrive while a statement is in flight share the next statement. A single client ' +
          'shares no statement: each of its requests is one round trip, while the union sends three statements at ' +
          'once on three connections. The highest possible ratio is that of an empty statement to the better rival: ' +
          `${limits.join('; ')}.`,
      ],
    }
  },
}

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
