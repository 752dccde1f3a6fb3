import { createCallboard, type Scope } from '@callboard/core'
import { askers, EVENTS, publishEvents } from '../events/fill.ts'
import { BENCH_SECRET_KEYS, benchCatalog, WIDE_LIMITS } from '../lib/bench-catalog.ts'
import { startBenchPostgres } from '../lib/bench-postgres.ts'
import { figure, spread } from '../lib/format.ts'
import { type Asked, loadHttp } from '../lib/http-load.ts'
import { startServer } from '../lib/http-server.ts'
import { migrated } from '../lib/migrated.ts'
import { alternate, ratios } from '../lib/rounds.ts'
import type { Section } from '../lib/section.ts'
import { watchServerCpu } from './server-cpu.ts'

/** One connection shows the cost of round trips. With many, the requests share statements, as on a busy server. */
const LOADS = [
  { connections: 1, atMost: 0.85 },
  { connections: 32, atMost: 0.7 },
] as const
const ROUND_MS = 3_000
const ROUNDS = 5
const READER: readonly Scope[] = ['webhooks.read']

const NAMES = {
  primary: 'without `reader`',
  replica: 'with `reader`',
  personal: 'with `reader`, with personal data (`people.read`)',
} as const
type Name = keyof typeof NAMES

export const section: Section = {
  title: '`GET /v1/events`, 25 events, from a replica',
  async measure() {
    const primary = await startBenchPostgres()
    const { pool, store } = await migrated(primary.url)
    const callboard = createCallboard({
      catalog: benchCatalog,
      store,
      secretKeys: BENCH_SECRET_KEYS,
      rateLimits: WIDE_LIMITS,
    })
    await publishEvents(callboard)
    await pool.query('vacuum analyze')
    const replica = await primary.startStandby()
    const module = new URL('../events/callboard-server.ts', import.meta.url)
    const alone = await startServer(module, [primary.url])
    const both = await startServer(module, [primary.url, replica.url])
    const cpu = { primary: await watchServerCpu(primary.url), replica: await watchServerCpu(replica.url) }

    const measured: Measurement[] = []
    for (const { connections, atMost } of LOADS) {
      const redacted = await askers(callboard, READER, connections)
      const personal = await askers(callboard, [...READER, 'people.read'], connections)
      const measurement: Measurement = {
        connections,
        atMost,
        perSecond: none(),
        p50: none(),
        primary: none(),
        replica: none(),
      }
      const ask = async (name: Name, port: number, asked: readonly Asked[]): Promise<number> => {
        const [onPrimary, onReplica] = [cpu.primary(), cpu.replica()]
        const { perSecond, p50 } = await loadHttp(port, asked, ROUND_MS)
        const requests = (perSecond * ROUND_MS) / 1000
        measurement.p50[name].push(p50)
        measurement.primary[name].push((cpu.primary() - onPrimary) / requests)
        measurement.replica[name].push((cpu.replica() - onReplica) / requests)
        return perSecond
      }
      const perSecond = await alternate(
        {
          primary: () => ask('primary', alone.port, redacted),
          replica: () => ask('replica', both.port, redacted),
          personal: () => ask('personal', both.port, personal),
        },
        ROUNDS,
      )
      // The first value is the warm-up's.
      for (const figures of [measurement.p50, measurement.primary, measurement.replica])
        for (const name of Object.keys(NAMES) as Name[]) figures[name].shift()
      measured.push({ ...measurement, perSecond })
    }
    await Promise.all([alone.stop(), both.stop()])
    await pool.end()
    await replica.stop()
    await primary.stop()
    return {
      tables: measured.map(({ connections, ...of }) => ({
        columns: [
          connections === 1 ? 'one connection' : `${connections} connections`,
          'requests/s',
          'p50, ms',
          'CPU µs of the primary',
          'CPU µs of the replica',
        ],
        rows: (Object.keys(NAMES) as Name[]).map((name) => [
          NAMES[name],
          spread(of.perSecond[name]),
          spread(of.p50[name]),
          spread(of.primary[name]),
          spread(of.replica[name]),
        ]),
      })),
      goals: measured.map(({ connections, atMost, primary: used }) => ({
        what: `the primary’s CPU per request, relative to no \`reader\`, connections: ${connections}`,
        atMost,
        rounds: ratios(used.replica, used.primary),
      })),
      notes: [
        `The ${figure(EVENTS)} events and the keys are those of the previous section. CPU is counted per request. It ` +
          'includes all processes of a server. Both servers, the load and the API share the cores, so requests/s ' +
          'show the cost of everything together, not what two machines would reach. With `reader`, the primary ' +
          'admits the request, and the replica reads the page in a second round trip. The replica also replays the ' +
          'commits of the admissions. A page with personal data stays on the primary, in one round trip.',
      ],
    }
  },
}

interface Measurement {
  readonly connections: number
  readonly atMost: number
  readonly perSecond: Readonly<Record<Name, readonly number[]>>
  readonly p50: Readonly<Record<Name, number[]>>
  readonly primary: Readonly<Record<Name, number[]>>
  readonly replica: Readonly<Record<Name, number[]>>
}

function none(): Record<Name, number[]> {
  return { primary: [], replica: [], personal: [] }
}
