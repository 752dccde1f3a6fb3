import { createCallboard } from '@callboard/core'
import { createPostgresStore, migrate } from '@callboard/store-postgres'
import { Pool } from 'pg'
import { BENCH_OPTIONS } from '../lib/bench-callboard.ts'
import { startBenchPostgres } from '../lib/bench-postgres.ts'
import { spread } from '../lib/format.ts'
import { alternate, ratios } from '../lib/rounds.ts'
import type { Goal, Section } from '../lib/section.ts'
import { bareInsert } from './bare-insert.ts'
import { type Publish, transactionsPerSecond } from './publish-loop.ts'
import { catalog, orderPaid } from './sample-order.ts'

/** Many short rounds, so that the median ignores the few rounds that the disk or another process disturbs. */
const ROUND_MS = 400
const ROUNDS = 9
const BATCH = 100
/** For each of these numbers there is an account with that many subscriptions to the published type. */
const SUBSCRIPTIONS = [0, 10, 1000] as const

const accountOf = (subscriptions: number): string => `with_${subscriptions}`

export const section: Section = {
  title: 'Publishing in the platform’s transaction',
  async measure() {
    const server = await startBenchPostgres({ autovacuum: 'off' })
    const pool = new Pool({ connectionString: server.url, max: 16 })
    const client = await pool.connect()
    await client.query(
      'create table orders (id bigint generated always as identity primary key, reference text not null)',
    )
    await migrate(client)
    await migrate(client, { schema: 'bare' })
    client.release()
    const callboard = createCallboard({ ...BENCH_OPTIONS, catalog, store: createPostgresStore({ pool }) })
    for (const count of SUBSCRIPTIONS) {
      const accountId = accountOf(count)
      await callboard.accounts.create({ id: accountId, name: 'Theatre' })
      for (let n = 0; n < count; n++)
        await callboard.subscriptions.create({
          accountId,
          targetUrl: `https://hook${n}.example.com/hook`,
          eventTypes: ['order.paid'],
        })
    }

    const ours =
      (accountId: string, counter = true): Publish =>
      (tx, from, count) => {
        const events = Array.from({ length: count }, (_, index) => {
          const event = orderPaid(accountId, from + index)
          return counter ? event : { ...event, subject: { ...event.subject, sequence: from + index } }
        })
        const [event] = events
        return count === 1 && event !== undefined
          ? callboard.publish(event, { tx })
          : callboard.publishMany(events, { tx })
      }
    // Creates the counters that number the events of each subject. Otherwise the first contender would insert them, and
    // the others would only update them.
    for (const schema of ['callboard', 'bare'])
      await pool.query(
        `insert into ${schema}.subjects select account, 'live', 'order', 'ord_' || n, 1 from unnest($1::text[]) ` +
          'account, generate_series(0, 9999) n',
        [SUBSCRIPTIONS.map(accountOf)],
      )
    await pool.query('vacuum analyze')
    await callboard.publish(orderPaid(accountOf(0), 0))
    const { rows: stored } = await pool.query<{ bytes: number }>(
      'select octet_length(body) as bytes from callboard.events',
    )
    const bodyBytes = stored[0]?.bytes ?? 0
    const bare = (counter: boolean): Publish => bareInsert({ accountId: accountOf(0), counter, bodyBytes })
    const measured =
      (publish: Publish, clients: number, eventsPerTransaction = 1) =>
      () =>
        transactionsPerSecond(publish, { pool, clients, eventsPerTransaction, ms: ROUND_MS })

    const rows: string[][] = []
    const goals: Goal[] = []
    const note = (what: string, name: string, perSecond: readonly number[], events = 1): void => {
      rows.push([what, name, spread(perSecond.map((each) => each * events))])
    }
    const relative = (what: string, reached: readonly number[], toBare: readonly number[]): void => {
      goals.push({ what: `events/s ÷ bare: ${what}`, atLeast: 0.7, rounds: ratios(reached, toBare) })
    }
    const compare = async (what: string, clients: number, counter: boolean, events = 1): Promise<void> => {
      const reached = await alternate(
        {
          bare: measured(bare(counter), clients, events),
          callboard: measured(ours(accountOf(0), counter), clients, events),
        },
        ROUNDS,
      )
      note(what, 'bare', reached.bare, events)
      note(what, 'Callboard', reached.callboard, events)
      relative(what, reached.callboard, reached.bare)
    }

    const single = await alternate(
      {
        nothing: measured(async () => undefined, 1),
        bare: measured(bare(true), 1),
        callboard: measured(ours(accountOf(0)), 1),
      },
      ROUNDS,
    )
    const added = (reached: readonly number[]): number[] =>
      reached.map((each, round) => 1000 / each - 1000 / (single.nothing[round] ?? Number.NaN))
    note('one client', 'bare', single.bare)
    note('one client', 'Callboard', single.callboard)
    relative('one client', single.callboard, single.bare)

    const eight = await alternate(
      {
        bare: measured(bare(true), 8),
        with0: measured(ours(accountOf(0)), 8),
        with10: measured(ours(accountOf(10)), 8),
        with1000: measured(ours(accountOf(1000)), 8),
      },
      ROUNDS,
    )
    note('8 clients', 'bare', eight.bare)
    for (const [count, reached] of [
      ['0', eight.with0],
      ['10', eight.with10],
      ['1,000', eight.with1000],
    ] as const) {
      note('8 clients', `Callboard, ${count} subscriptions`, reached)
      relative(`8 clients, ${count} subscriptions`, reached, eight.bare)
    }
    goals.push({
      what: 'events/s with 1,000 subscriptions ÷ with 0',
      atLeast: 0.9,
      atMost: 1.1,
      rounds: ratios(eight.with1000, eight.with0),
    })

    await compare('8 clients, sequence given', 8, false)
    await compare('4 clients, 100 events each', 4, true, BATCH)

    await pool.end()
    await server.stop()
    return {
      figures: [
        { what: 'events/s: 8 clients, 1,000 subscriptions', rounds: eight.with1000 },
        { what: 'ms added to a transaction of one insert: one client', rounds: added(single.callboard) },
      ],
      goals,
      tables: [{ columns: ['', '', 'events/s'], rows }],
      method:
        'A transaction inserts a row and publishes an event of 1 KB. Bare: one prepared statement inserts the ' +
        'same rows, and nothing is validated, redacted or serialised. The clients share the cores with Postgres.',
      missed:
        'Callboard also validates, redacts and serialises each event and looks up its account, in a process that ' +
        'competes with Postgres for the cores.',
    }
  },
}
