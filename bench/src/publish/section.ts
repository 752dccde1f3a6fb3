import { randomBytes } from 'node:crypto'
import { createCallboard, createId } from '@callboard/core'
import { createPostgresStore, migrate, type PostgresStore } from '@callboard/store-postgres'
import { Pool } from 'pg'
import { startBenchPostgres } from '../lib/bench-postgres.ts'
import { figure, spread } from '../lib/format.ts'
import { alternate, median, ratios } from '../lib/rounds.ts'
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
    const store = createPostgresStore({ pool })
    const callboard = createCallboard({
      catalog,
      store,
      secretKeys: { current: 'k1', keys: { k1: randomBytes(32) } },
      maxSubscriptions: 1000,
    })
    for (const count of SUBSCRIPTIONS) {
      await callboard.accounts.create({ id: accountOf(count), name: 'Theatre' })
      for (let made = 0; made < count; made++) await subscribe(store, accountOf(count), made)
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
    const note = (what: string, name: string, perSecond: readonly number[], events: number): void => {
      rows.push([what, name, spread(perSecond.map((each) => each * events))])
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
      goals.push({
        what: `${what}: events/s relative to bare`,
        atLeast: 0.7,
        rounds: ratios(reached.callboard, reached.bare),
      })
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
    const alone = 'one client'
    note(alone, 'bare', single.bare, 1)
    note(alone, 'Callboard', single.callboard, 1)
    goals.push({
      what: `${alone}: events/s relative to bare`,
      atLeast: 0.7,
      rounds: ratios(single.callboard, single.bare),
    })

    const eight = await alternate(
      {
        bare: measured(bare(true), 8),
        with0: measured(ours(accountOf(0)), 8),
        with10: measured(ours(accountOf(10)), 8),
        with1000: measured(ours(accountOf(1000)), 8),
      },
      ROUNDS,
    )
    note('eight clients', 'bare', eight.bare, 1)
    note('eight clients', 'Callboard, 0 subscriptions', eight.with0, 1)
    note('eight clients', 'Callboard, 10 subscriptions', eight.with10, 1)
    note('eight clients', 'Callboard, 1,000 subscriptions', eight.with1000, 1)
    for (const [count, reached] of [
      ['0', eight.with0],
      ['10', eight.with10],
      ['1,000', eight.with1000],
    ] as const)
      goals.push({
        what: `eight clients, ${count} subscriptions: events/s relative to bare`,
        atLeast: 0.7,
        rounds: ratios(reached, eight.bare),
      })
    goals.push({
      what: 'events/s with 1,000 subscriptions relative to 0',
      atLeast: 0.9,
      atMost: 1.1,
      rounds: ratios(eight.with1000, eight.with0),
    })

    await compare('eight clients, sequence given', 8, false)
    await compare('four clients, 100 events per transaction', 4, true, BATCH)

    await pool.end()
    await server.stop()
    return {
      tables: [
        { columns: ['', '', 'events/s'], rows },
        {
          columns: ['one client', 'added to a transaction of one insert, ms'],
          rows: [
            ['bare', spread(added(single.bare))],
            ['Callboard', spread(added(single.callboard))],
          ],
        },
      ],
      goals,
      notes: [
        `A transaction of one insert takes ${figure(1000 / median(single.nothing))} ms with one client: ` +
          'begin, insert, and a commit that reaches the disk.',
        'Bare: one prepared statement that inserts the same rows under the same indexes and takes the subject’s ' +
          'counter where Callboard does. Its bodies are ready-made: nothing is validated, redacted or serialised, ' +
          'no account is looked up, and the result is not read. ' +
          'Callboard: `publish(event, { tx })` on a client of the store’s own pool.',
        'Bare and Callboard each publish without pause from a single process, on the same machine as Postgres, so ' +
          'with several clients, this process competes with the server for the cores. ' +
          'Autovacuum is off, because it would run in some rounds only.',
      ],
    }
  },
}

async function subscribe(store: PostgresStore, accountId: string, n: number): Promise<void> {
  const id = createId('sub')
  await store.subscriptions.create(
    {
      id,
      accountId,
      mode: 'live',
      source: 'dashboard',
      identity: undefined,
      enablesFrom: [],
      targetUrl: `https://t${n}.example.com/`,
      eventTypes: ['order.paid'],
      integration: 'other',
      externalRef: undefined,
      apiVersion: catalog.version,
      sealedSecret: 'sealed',
      confirmedBy: undefined,
      personalData: false,
    },
    { total: 1000, newPerMinute: 1000 },
    {
      actor: { type: 'operator', id: 'bench' },
      action: 'subscription.created',
      accountId,
      mode: 'live',
      objectId: id,
      details: {},
    },
  )
}
