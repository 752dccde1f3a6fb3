import { cpus } from 'node:os'
import { createCallboard, type Scope } from '@callboard/core'
import { BENCH_SECRET_KEYS, benchCatalog, WIDE_LIMITS } from '../lib/bench-catalog.ts'
import { startBenchPostgres } from '../lib/bench-postgres.ts'
import { figure, spread } from '../lib/format.ts'
import { type Asked, type Loaded, loadHttp } from '../lib/http-load.ts'
import { type HttpServer, startServer } from '../lib/http-server.ts'
import { migrated } from '../lib/migrated.ts'
import { alternate, median, ratios } from '../lib/rounds.ts'
import type { Goal, Section } from '../lib/section.ts'
import { askers, copyEvents, copyKeys, EVENTS, publishEvents } from './fill.ts'

const CONNECTIONS = 8
const ROUND_MS = 3000
const ROUNDS = 5
const READER: readonly Scope[] = ['webhooks.read']
const PEOPLE_READER: readonly Scope[] = ['webhooks.read', 'people.read']

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
    const redacted = await askers(callboard, READER, CONNECTIONS)
    const personal = await askers(callboard, PEOPLE_READER, CONNECTIONS)
    await copyEvents(pool)
    await copyKeys(pool, READER, redacted)
    await copyKeys(pool, PEOPLE_READER, personal)
    await pool.query('vacuum analyze')
    const ours = await startServer(new URL('./callboard-server.ts', import.meta.url), [postgres.url])
    const theirs = await startServer(new URL('./hand-written-server.ts', import.meta.url), [postgres.url])

    for (const [asked] of [redacted, personal]) if (asked !== undefined) await assertSamePage(ours, theirs, asked)

    const p99: Record<string, number[]> = {}
    const busy: Record<string, number[]> = {}
    const ask = async (name: string, port: number, asked: readonly Asked[]): Promise<number> => {
      const before = busyMs()
      const loaded: Loaded = await loadHttp(port, asked, ROUND_MS)
      busy[name] = [...(busy[name] ?? []), (busyMs() - before) / ROUND_MS]
      p99[name] = [...(p99[name] ?? []), loaded.p99]
      return loaded.perSecond
    }
    const reached = await alternate(
      {
        callboard: () => ask('callboard', ours.port, redacted),
        hand: () => ask('hand', theirs.port, redacted),
        people: () => ask('people', ours.port, personal),
        handPeople: () => ask('handPeople', theirs.port, personal),
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
      hand: 'hand-written, without personal data',
      people: 'Callboard, with personal data (`people.read`)',
      handPeople: 'hand-written, with personal data',
    } as const
    const beside = (name: 'callboard' | 'people', other: 'hand' | 'handPeople'): Goal[] => [
      {
        what: `requests/s relative to hand-written: ${names[name]}`,
        atLeast: 0.75,
        rounds: ratios(reached[name], reached[other]),
      },
      {
        what: `p99 relative to hand-written: ${names[name]}`,
        atMost: 1.3,
        rounds: ratios(tail(name), tail(other)),
      },
    ]
    return {
      tables: [
        {
          columns: ['', 'requests/s', 'p99, ms'],
          rows: (['callboard', 'hand', 'people', 'handPeople'] as const).map((name) => [
            names[name],
            spread(reached[name]),
            spread(tail(name)),
          ]),
        },
      ],
      goals: [...beside('callboard', 'hand'), ...beside('people', 'handPeople')],
      notes: [
        `${figure(EVENTS)} events of 1 KB with two personal values each, in one account; ` +
          `${CONNECTIONS} connections with a key each. ` +
          'The hand-written handler does the same work with two prepared statements: it finds the key by its hash and ' +
          'counts the request in three rate-limit windows, then reads the page from a copy of the events, whose ' +
          'bodies contain the personal data. For a key without the scope, it parses each event and writes it again ' +
          'without that data. @hono/node-server runs in a process of its own, and another process sends the ' +
          'requests; server, Postgres and load share the cores.',
        `CPU per request of all processes: Callboard ${cpuOf('callboard')} µs and ${cpuOf('people')} µs with personal ` +
          `data, hand-written ${cpuOf('hand')} µs and ${cpuOf('handPeople')} µs; ${cores('callboard').toFixed(2)} ` +
          `and ${cores('hand').toFixed(2)} cores are busy. Callboard also signs the cursor, checks the format ` +
          'version, and sends a request id and rate-limit headers. Up to four of its requests share a statement. This saves ' +
          'CPU time in Postgres, but these requests wait for each other.',
      ],
    }
  },
}

/** How many milliseconds the machine's cores have been busy in total. */
function busyMs(): number {
  return cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0)
}

/** Throws unless both servers answer with the same events. */
async function assertSamePage(ours: HttpServer, theirs: HttpServer, { path, token }: Asked): Promise<void> {
  const read = async ({ port }: HttpServer): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${token}` } })
    const { data, hasMore } = await response.json()
    return JSON.stringify({ data, hasMore })
  }
  if ((await read(ours)) !== (await read(theirs))) throw new Error('the two servers answer with different events')
}
