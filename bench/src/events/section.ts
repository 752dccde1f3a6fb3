import { cpus } from 'node:os'
import type { Scope } from '@callboard/core'
import { createTables } from '../lib/arrange.ts'
import { openBenchCallboard } from '../lib/bench-callboard.ts'
import { startBenchPostgres } from '../lib/bench-postgres.ts'
import { figure, spread } from '../lib/format.ts'
import { startHelper } from '../lib/helper.ts'
import { type Asked, type Loaded, loadHttp } from '../lib/http-load.ts'
import { alternate, median, ratios } from '../lib/rounds.ts'
import type { Goal, Section } from '../lib/section.ts'
import type { ServerReplies } from './callboard-server.ts'
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
    const bench = openBenchCallboard(postgres.url)
    const { callboard, pool } = bench
    await createTables(bench)
    await publishEvents(callboard)
    const redacted = await askers(callboard, READER, CONNECTIONS)
    const personal = await askers(callboard, PEOPLE_READER, CONNECTIONS)
    await copyEvents(pool)
    await copyKeys(pool, READER, redacted)
    await copyKeys(pool, PEOPLE_READER, personal)
    await pool.query('vacuum analyze')
    const ours = startHelper<ServerReplies>(new URL('./callboard-server.ts', import.meta.url))
    const theirs = startHelper<ServerReplies>(new URL('./hand-written-server.ts', import.meta.url))
    const port = await ours.ask('serve', postgres.url)
    const handPort = await theirs.ask('serve', postgres.url)

    for (const [asked] of [redacted, personal]) if (asked !== undefined) await assertSamePage(port, handPort, asked)

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
        callboard: () => ask('callboard', port, redacted),
        hand: () => ask('hand', handPort, redacted),
        people: () => ask('people', port, personal),
        handPeople: () => ask('handPeople', handPort, personal),
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
      callboard: 'without personal data',
      hand: 'hand-written, without personal data',
      people: 'with personal data',
      handPeople: 'hand-written, with personal data',
    } as const
    const beside = (name: 'callboard' | 'people', other: 'hand' | 'handPeople'): Goal[] => [
      {
        what: `requests/s ÷ hand-written, ${names[name]}`,
        atLeast: 0.75,
        rounds: ratios(reached[name], reached[other]),
      },
      {
        what: `p99 ÷ hand-written, ${names[name]}`,
        atMost: 1.3,
        rounds: ratios(tail(name), tail(other)),
      },
    ]
    return {
      figures: (['callboard', 'people'] as const).map((name) => ({
        what: `requests/s, ${names[name]}`,
        rounds: reached[name],
      })),
      goals: [...beside('callboard', 'hand'), ...beside('people', 'handPeople')],
      tables: [
        {
          columns: ['', 'requests/s', 'p99, ms', 'CPU µs per request of all processes'],
          rows: (['callboard', 'hand', 'people', 'handPeople'] as const).map((name) => [
            names[name],
            spread(reached[name]),
            spread(tail(name)),
            cpuOf(name),
          ]),
        },
      ],
      method:
        `\`GET /v1/events\` on ${CONNECTIONS} connections: 25 of ${figure(EVENTS)} events of 1 KB, from Postgres. The ` +
        'hand-written handler has two ' +
        'statements: one finds the key and counts the request in three windows, one reads the page.',
      missed:
        'Up to four requests share a statement, which saves CPU time in Postgres, but they wait for each other. ' +
        'Callboard also signs the cursor, checks the format version, and sends a request id and rate-limit headers.',
    }
  },
}

/** How many milliseconds the machine's cores have been busy in total. */
function busyMs(): number {
  return cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0)
}

/** Throws unless both servers answer with the same events. */
async function assertSamePage(port: number, otherPort: number, { path, token }: Asked): Promise<void> {
  const read = async (port: number): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${token}` } })
    const { data, hasMore } = await response.json()
    return JSON.stringify({ data, hasMore })
  }
  if ((await read(port)) !== (await read(otherPort))) throw new Error('the two servers answer with different events')
}
