import { cpus } from 'node:os'
import { createCallboard, type Scope } from '@callboard/core'
import { BENCH_SECRET_KEYS, benchCatalog, WIDE_LIMITS } from '../lib/bench-catalog.ts'
import { startBenchPostgres } from '../lib/bench-postgres.ts'
import { figure, spread } from '../lib/format.ts'
import { type Asked, type Loaded, loadHttp } from '../lib/http-load.ts'
import { startServer } from '../lib/http-server.ts'
import { migrated } from '../lib/migrated.ts'
import { alternate, median, ratios } from '../lib/rounds.ts'
import type { Goal, Section } from '../lib/section.ts'
import { askers, EVENTS, publishEvents } from './fill.ts'

const CONNECTIONS = 8
const ROUND_MS = 3000
const ROUNDS = 5
const READER: readonly Scope[] = ['webhooks.read']

export const section: Section = {
  title: '`GET /v1/events`, 25 events, Postgres',
  async measure() {
    const postgres = await startBenchPostgres()
    const { pool, store } = await migrated(postgres.url)
    const callboard = createCallboard({
      catalog: benchCatalog,
      store,
      secretKeys: BENCH_SECRET_KEYS,
      rateLimits: WIDE_LIMITS,
    })
    await publishEvents(callboard)
    await pool.query('vacuum analyze')
    const redacted = await askers(callboard, READER, CONNECTIONS)
    const personal = await askers(callboard, [...READER, 'people.read'], CONNECTIONS)
    const ours = await startServer(new URL('./callboard-server.ts', import.meta.url), [postgres.url])
    const theirs = await startServer(new URL('./hand-written-server.ts', import.meta.url), [postgres.url])

    const p99: Record<string, number[]> = { callboard: [], people: [], hand: [] }
    const busy: Record<string, number[]> = { callboard: [], people: [], hand: [] }
    const ask = async (name: string, port: number, asked: readonly Asked[]): Promise<number> => {
      const before = busyMs()
      const loaded: Loaded = await loadHttp(port, asked, ROUND_MS)
      busy[name]?.push((busyMs() - before) / ROUND_MS)
      p99[name]?.push(loaded.p99)
      return loaded.perSecond
    }
    const reached = await alternate(
      {
        callboard: () => ask('callboard', ours.port, redacted),
        people: () => ask('people', ours.port, personal),
        hand: () => ask('hand', theirs.port, redacted),
      },
      ROUNDS,
    )
    await Promise.all([ours.stop(), theirs.stop()])
    await pool.end()
    await postgres.stop()
    // The first value is the warm-up's.
    const tail = (name: keyof typeof reached): number[] => p99[name]?.slice(1) ?? []
    const cores = (name: keyof typeof reached): number => median(busy[name]?.slice(1) ?? [])
    const cpuOf = (name: keyof typeof reached): string => figure((cores(name) / median(reached[name])) * 1e6)
    const names = {
      callboard: 'Callboard, without personal data',
      people: 'Callboard, with personal data (`people.read`)',
      hand: 'hand-written',
    } as const
    const beside = (name: 'callboard' | 'people'): Goal[] => [
      {
        what: `requests/s relative to hand-written, ${names[name]}`,
        atLeast: 0.7,
        rounds: ratios(reached[name], reached.hand),
      },
      {
        what: `p99 of hand-written relative to ours, ${names[name]}`,
        atLeast: 0.7,
        rounds: ratios(tail('hand'), tail(name)),
      },
    ]
    return {
      tables: [
        {
          columns: ['', 'requests/s', 'p99, ms'],
          rows: (['callboard', 'people', 'hand'] as const).map((name) => [
            names[name],
            spread(reached[name]),
            spread(tail(name)),
          ]),
        },
      ],
      goals: [...beside('callboard'), ...beside('people')],
      notes: [
        `${figure(EVENTS)} events of 1 KB with two personal values each, in one account; ` +
          `${CONNECTIONS} connections with a key each. ` +
          'The hand-written handler reads the same table and index with one prepared statement and ' +
          'joins the bodies as text; it neither checks the key nor returns personal data. @hono/node-server runs in ' +
          'a process of its own and is loaded from another; server, Postgres and load share the cores.',
        `CPU per request of all processes: Callboard ${cpuOf('callboard')} µs, ` +
          `hand-written ${cpuOf('hand')} µs, with ${cores('callboard').toFixed(2)} and ` +
          `${cores('hand').toFixed(2)} cores busy. In Postgres, Callboard also looks up the key, counts the request ` +
          'in its rate-limit windows and starts a larger statement. In the server, it also hashes the key, signs ' +
          'the cursor, and handles more columns and headers. Up to four requests share a statement, which saves much ' +
          'of the cost in Postgres; as they wait for each other, fewer cores are busy.',
      ],
    }
  },
}

/** How many milliseconds the machine's cores have been busy in total. */
function busyMs(): number {
  return cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0)
}
