import { createCallboard } from '@callboard/core'
import { idFromUuid, SUMMED_SUBSCRIPTIONS } from '@callboard/core/store'
import { createDashboard, type Dashboard } from '@callboard/dashboard'
import type { Pool } from 'pg'
import { BENCH_SECRET_KEYS, benchCatalog } from '../lib/bench-catalog.ts'
import { startBenchPostgres } from '../lib/bench-postgres.ts'
import { figure, spread } from '../lib/format.ts'
import { migrated } from '../lib/migrated.ts'
import { alternate, median, ratios } from '../lib/rounds.ts'
import type { Goal, Section } from '../lib/section.ts'
import { countStatements } from '../statements/statement-counts.ts'
import { busySubscription, fill } from './fill.ts'

// The small account has enough subscriptions and events to fill a page.
const SIZES = {
  small: { subscriptions: 75, events: 100 },
  full: { subscriptions: SUMMED_SUBSCRIPTIONS, events: 100 },
  large: { subscriptions: 10_000, events: 200_000 },
}
const ROUNDS = 5
const READS = 15
const MOST_SLOWDOWN = 2
/**
 * The most round trips to the database that a page may take. Queries that do not need each other's results are sent
 * together and count as one.
 */
const ROUND_TRIPS = 2

type Account = keyof typeof SIZES

interface Page {
  readonly what: string
  readonly path: string
  /** The path for the large account; undefined if `path` is used for both accounts. */
  readonly deep?: string | undefined
  /** The account to compare the large one with; `small` by default. */
  readonly with?: Account | undefined
  /** False for a page without a goal: it may take longer in a larger account, because it searches more rows. */
  readonly bounded?: false
}

export const section: Section = {
  title: 'Dashboard pages of a small and of a large account',
  async measure() {
    const postgres = await startBenchPostgres({ shared_preload_libraries: 'pg_stat_statements' })
    const database = await migrated(postgres.url)
    const { pool, store } = database
    await pool.query('create extension pg_stat_statements')
    await fill(database, SIZES)
    const callboard = createCallboard({ catalog: benchCatalog, store, secretKeys: BENCH_SECRET_KEYS })
    const { subscriptions, deliveries } = callboard
    const busy = { accountId: 'large', mode: 'live', id: busySubscription } as const
    const deepSubscriptions = await cursorBehind(90, (cursor) =>
      subscriptions.overview({ accountId: 'large' }, { limit: 25, cursor }),
    )
    const deepDeliveries = await cursorBehind(90, (cursor) => deliveries.list(busy, { limit: 25, cursor }))
    const one = `/subscriptions/${busySubscription}`
    const pages: readonly Page[] = [
      // An overview covers at most `SUMMED_SUBSCRIPTIONS` subscriptions. `full` has exactly that many, so its overview
      // covers as many as the large account's.
      { what: 'overview of a day', path: '/overview', with: 'full' },
      { what: 'overview of a week', path: '/overview?range=week', with: 'full' },
      { what: 'subscriptions', path: '/subscriptions' },
      {
        what: 'subscriptions, 90 pages deep',
        path: '/subscriptions',
        deep: `/subscriptions?cursor=${deepSubscriptions}`,
      },
      { what: 'failing subscriptions', path: '/subscriptions?state=failing' },
      { what: 'disabled subscriptions', path: '/subscriptions?state=disabled' },
      { what: 'a subscription', path: one },
      { what: 'its deliveries', path: `${one}/deliveries` },
      {
        what: 'its deliveries, 90 pages deep',
        path: `${one}/deliveries`,
        deep: `${one}/deliveries?cursor=${deepDeliveries}`,
      },
      { what: 'its three exhausted deliveries', path: `${one}/deliveries?state=exhausted` },
      { what: 'its three retrying deliveries', path: `${one}/deliveries?state=retrying` },
      { what: 'events', path: '/events' },
      { what: 'events of a type', path: '/events?type=order.paid' },
      { what: 'events of a subject', path: '/events?search=order+50' },
      { what: 'an event by its id', path: `/events?search=${idFromUuid('evt', '50'.padStart(32, '0'))}` },
      { what: 'the six events with failing deliveries', path: '/events?deliveries=failing' },
      { what: 'search for subscriptions', path: '/subscriptions?search=catch%2F57', bounded: false },
    ]
    const rows: string[][] = []
    const slower: Goal[] = []
    let most = 0
    const trips = countRoundTrips(pool)
    for (const { what, path, deep = path, bounded = true, with: other = 'small' } of pages) {
      const dashboards = { other: dashboardOf(callboard, other), large: dashboardOf(callboard, 'large') }
      const reached = await alternate(
        { other: () => p50(dashboards.other, path), large: () => p50(dashboards.large, deep) },
        ROUNDS,
      )
      const counts = await countStatements(pool, () => read(dashboards.large, deep))
      const statements = Object.values(counts).reduce((sum, { calls }) => sum + calls, 0)
      const roundTrips = await trips.of(() => read(dashboards.large, deep))
      most = Math.max(most, roundTrips)
      rows.push([what, spread(reached.other), spread(reached.large), figure(statements), figure(roundTrips)])
      if (bounded) slower.push({ what, atMost: MOST_SLOWDOWN, rounds: ratios(reached.large, reached.other) })
    }
    await pool.end()
    await postgres.stop()
    const { small, full, large } = SIZES
    const columns = [
      'p50, ms',
      `${small.subscriptions} subscriptions`,
      `${figure(large.subscriptions)}`,
      'statements',
      'round trips',
    ]
    return {
      tables: [{ columns, rows }],
      goals: [...slower, { what: 'round trips per page', atMost: ROUND_TRIPS, rounds: [most] }],
      notes: [
        'Whole pages from `dashboard.fetch`, read to the end, one after another. The goal of a page is its time for ' +
          'the large account, relative to the small one. Both accounts are in the same tables: ' +
          `one has ${figure(large.subscriptions)} subscriptions and ${figure(large.events * 5)} deliveries, ` +
          `${figure(large.events)} events to each of five; ` +
          `the other has ${small.subscriptions} and ${small.events * 5}. ` +
          `The overview covers at most ${full.subscriptions} subscriptions, so it is compared with that of a third ` +
          'account, which has exactly that many. ' +
          'Statements in flight together count as one round trip. ' +
          'A search reads up to 10,000 subscriptions and has no goal.',
      ],
    }
  },
}

function dashboardOf(callboard: Parameters<typeof createDashboard>[0], accountId: Account): Dashboard {
  return createDashboard(callboard, {
    authorize: () => ({ accountId, can: ['webhooks.read', 'webhooks.write', 'events.read'] }),
  })
}

async function read({ fetch }: Dashboard, path: string): Promise<void> {
  const response = await fetch(new Request(`https://bench.test/dashboard${path}`))
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`)
  await response.text()
}

/** Counts round trips: how many times `work` sent a query while no other query was in flight. */
function countRoundTrips(pool: Pool): { of(work: () => Promise<void>): Promise<number> } {
  let underWay = 0
  let trips = 0
  pool.on('acquire', () => {
    if (underWay++ === 0) trips++
  })
  pool.on('release', () => underWay--)
  return {
    async of(work) {
      trips = 0
      await work()
      return trips
    },
  }
}

async function p50(dashboard: Dashboard, path: string): Promise<number> {
  const took: number[] = []
  for (let reads = 0; reads < READS; reads++) {
    const asked = performance.now()
    await read(dashboard, path)
    took.push(performance.now() - asked)
  }
  return median(took)
}

/** The cursor of the page that comes after the first `pages` pages of a list. */
async function cursorBehind(
  pages: number,
  page: (cursor: string | undefined) => Promise<{ readonly nextCursor: string | null }>,
): Promise<string> {
  let cursor: string | undefined
  for (let turned = 0; turned < pages; turned++) cursor = (await page(cursor)).nextCursor ?? cursor
  return cursor ?? ''
}
