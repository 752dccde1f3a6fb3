import { arrange } from '../lib/arrange.ts'
import { openBenchCallboard } from '../lib/bench-callboard.ts'
import { startBenchPostgres } from '../lib/bench-postgres.ts'
import { figure, spread } from '../lib/format.ts'
import { startHelper } from '../lib/helper.ts'
import { alternate, quantile, ratios } from '../lib/rounds.ts'
import type { Section } from '../lib/section.ts'
import { type Sink, startSink } from '../lib/sink.ts'
import { migrateFloor } from './floor.ts'
import { migrateGraphile } from './graphile.ts'
import type { Role, RoleAnswer, RoleAsk } from './role-process.ts'

const TARGETS = 20
const A_SECOND = 50
/** How many events each round publishes: `A_SECOND` per second for three seconds. */
const EVENTS = 150
/**
 * Enough rounds for a steady p99. In nine rounds, 1,350 events are measured, so the 13 slowest events decide the p99.
 * With 300 events, only three decided it, and it varied by a factor of four.
 */
const ROUNDS = 9

interface Round {
  /** For each event, the milliseconds from its publishing to its arrival. */
  readonly took: readonly number[]
  /** For each event, the milliseconds that the call to publish it took. */
  readonly published: readonly number[]
}

async function round(publisher: Role, sink: Sink, received: () => number): Promise<Round> {
  const before = received()
  const arrived = sink.until(before + EVENTS)
  const { sent } = await publisher.ask({ publish: EVENTS, aSecond: A_SECOND })
  await arrived
  const arrivals = new Map(await sink.arrivals())
  return {
    took: sent.map(([id, at]) => (arrivals.get(id) ?? Number.NaN) - at),
    published: sent.map(([, at, answeredAt]) => answeredAt - at),
  }
}

type Contender = Extract<RoleAsk, { readonly start: unknown }>['contender']

const stepOf = (steps: RoleAnswer['steps'], name: string): string => figure(quantile(steps[name] ?? [], 0.5))
const countOf = (steps: RoleAnswer['steps'], name: string): number => steps[name]?.length ?? 0

export const section: Section = {
  title: 'Latency, publish → received, 50 events/s',
  async measure() {
    const postgres = await startBenchPostgres()
    const sink = await startSink({ stamp: true })
    const targets = Array.from({ length: TARGETS }, (_, target) => sink.url(target))
    const opened = openBenchCallboard(postgres.url)
    await arrange(opened, targets)
    await opened.pool.end()
    await migrateGraphile(postgres.url)
    await migrateFloor(postgres.url)

    const roles: Role[] = []
    const startRole = async (start: 'work' | 'publish', contender: Contender): Promise<Role> => {
      const role: Role = startHelper(new URL('./role-process.ts', import.meta.url))
      roles.push(role)
      await role.ask({ start, contender, url: postgres.url, ca: sink.ca, targets })
      return role
    }

    let received = 0
    const contender = async (name: Contender) => {
      const worker = await startRole('work', name)
      const publisher = await startRole('publish', name)
      const rounds: Round[] = []
      const p50 = async (): Promise<number> => {
        const taken = await round(publisher, sink, () => received)
        received += EVENTS
        rounds.push(taken)
        return quantile(taken.took, 0.5)
      }
      // The first round is not counted.
      const all = (figures: keyof Round): number[] => rounds.slice(1).flatMap((each) => each[figures])
      const stepsOf = async (): Promise<RoleAnswer['steps']> => (await worker.ask({ how: 'took it' })).steps
      return { p50, all, stepsOf }
    }
    const callboard = await contender('callboard')
    const graphile = await contender('graphile')
    const floor = await contender('floor')
    const p50 = await alternate({ callboard: callboard.p50, graphile: graphile.p50, floor: floor.p50 }, ROUNDS)
    const p99Of = (of: Awaited<ReturnType<typeof contender>>): number => quantile(of.all('took'), 0.99)
    const p99 = { callboard: p99Of(callboard), graphile: p99Of(graphile), floor: p99Of(floor) }
    const steps = await callboard.stepsOf()

    for (const role of roles) await role.stop()
    await sink.stop()
    await postgres.stop()
    const row = (name: string, contender: Contender) => [name, spread(p50[contender]), figure(p99[contender])]
    return {
      tables: [
        {
          columns: ['', 'p50, ms', 'p99, ms'],
          rows: [row('Callboard', 'callboard'), row('graphile-worker', 'graphile'), row('floor', 'floor')],
        },
      ],
      goals: [
        { what: 'p50 relative to graphile-worker', atMost: 1, rounds: ratios(p50.callboard, p50.graphile) },
        { what: 'p99 relative to graphile-worker', atMost: 1, rounds: [p99.callboard / p99.graphile] },
      ],
      notes: [
        `${ROUNDS} rounds of ${figure(EVENTS)} events, 0 to ${figure(2_000 / A_SECOND)} ms apart, to ${TARGETS} ` +
          'targets. Publisher, worker and sink run in processes of their own. Time runs from the call that publishes ' +
          "to the last byte at the sink, by the machine's monotonic clock; the p99 covers all rounds together. All " +
          "send with Callboard's transport. Callboard and graphile-worker insert an attempt row for each delivery. " +
          'graphile-worker runs with NOTIFY, prepared statements, a concurrency of 50 and no local queue; its SQL ' +
          'function adds the jobs. The floor is an insert with NOTIFY, one prepared select by primary key, a signature ' +
          'and a request. It claims and records nothing.',
        'Where the time goes, each time as the p50 in ms. The call that publishes an event takes ' +
          `${figure(quantile(callboard.all('published'), 0.5))}, ` +
          `with graphile-worker ${figure(quantile(graphile.all('published'), 0.5))}, ` +
          `and at the floor ${figure(quantile(floor.all('published'), 0.5))}. ` +
          'One step sequences an event and leases its lane. It takes ' +
          `${stepOf(steps, 'sequenced and leased')}, including its commit, and ran ` +
          `${countOf(steps, 'sequenced and leased')} times. If there is no event, it takes ` +
          `${stepOf(steps, 'none sequenced')}. Events that arrive together are sequenced first and leased later, ` +
          `which happened ${countOf(steps, 'sequenced')} times: sequencing takes ${stepOf(steps, 'sequenced')} and ` +
          `leasing ${stepOf(steps, 'leased')}. The rest is the notification from Postgres before sequencing, and ` +
          'signing and sending the request after leasing.',
      ],
    }
  },
}
