import { createId } from '@callboard/core'
import {
  ACTIVITY_RANGES,
  CAPS,
  DEFAULT_RATE_LIMITS,
  type DueLane,
  type EventDraft,
  FAILING_RULE,
  type LaneSettlement,
  type LeasedLane,
  MOST_HELD_BACK,
  type RangePlace,
  type RequestOf,
  type ResendRange,
  type SubscriptionRef,
  uuidFromId,
  type WorkerReport,
} from '@callboard/core/store'
import { createSubscription, ENTRY, newImport, sequenceAndLease, skipToNow } from '@callboard/store-conformance'
import { type OwnPostgres, startOwnPostgres } from '@callboard/testbed'
import { Client, Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventDraft, newSubscription, settled } from '../../testing/inputs.ts'
import { migratedStore } from '../../testing/migrated-store.ts'
import type { PostgresStore } from '../postgres-store.ts'

const EVENTS = 3_000
const BATCH = 10
/**
 * How often each prepared statement runs. Postgres plans the first five runs for their values, and may use one generic
 * plan afterwards.
 */
const RUNS = 8
const RUNS_FOR_VALUES = 5
/**
 * The limit for most statements, in blocks of 8 KiB per event. It allows a few index descents; reading the whole
 * account takes thousands of blocks.
 */
const FEW = 10
const TABLES_OF_DELIVERY = 9
/**
 * The limit for listing a delivery, in blocks. A delivery may be recorded in seven places, and its lane is looked up by
 * its key.
 */
const FEW_LISTED = 33
/**
 * The limit for `sequence`, `settle` and `resendRange`. Because they call functions, the count includes the blocks that
 * they write and those that are read to plan the functions.
 */
const FEW_IN_FUNCTION = 40
const VISITS = 300
/** The limit for each statement with which a worker serves a lane that has one event. */
const FEW_VISITING = 80
/** How many subscriptions and how many keys one account has. */
const LANES = 1_500
const FEW_LANES = 40
/** How many lanes the gauges look at, and the limit that `troubled` is called with. */
const LOOKED_AT = 20
/** Workers that attend, each of which holds back as many hosts as it may report. */
const WORKERS = 10
const LONG_REPORT: WorkerReport = {
  waiting: { lanes: 1_000, accounts: 100 },
  heldBack: Array.from({ length: MOST_HELD_BACK }, (_, n) => {
    return { host: `hooks-${n}.example.com`, limit: 4, reason: 'new', lanes: 20 }
  }),
}
/** How many lanes a call leases. */
const LEASED = 50
/** The limit for each lane that an event wakes. It includes writing the lane's new version to each index. */
const FEW_WAKING = 35
/** The limit for each lane that is leased or checked, and for each of their deliveries that is settled. */
const FEW_OF_LANE = 60
/** An import adds an entry to 20 indexes. */
const FEW_OF_IMPORT = 80
/** The limit for each subscription that a search looks at. Looking one up by its key takes four. */
const FEW_SEARCHED = 2
/** The limits for listing and for resending a delivery that ended as part of a range. */
const FEW_IN_RANGES = 60
const FEW_RESENT = 100
/** How many deliveries end while their event is in the outbox. */
const UNSEQUENCED = 2_000
/** How often a subscription skips to now, each time past one event. */
const SKIPS = 400

let server: OwnPostgres

// These tests count blocks instead of measuring time: the server logs how many blocks each statement read.
beforeAll(async () => {
  server = await startOwnPostgres({
    settings: {
      autovacuum: 'off',
      session_preload_libraries: 'auto_explain',
      'auto_explain.log_min_duration': '0',
      'auto_explain.log_analyze': 'on',
      'auto_explain.log_buffers': 'on',
      'auto_explain.log_timing': 'off',
      'auto_explain.log_format': 'json',
      client_min_messages: 'log',
    },
  })
})
afterAll(() => server.stop())

const TOKEN_HASH = new Uint8Array(32)
const READER_KEY = {
  accountId: 'a',
  mode: 'live',
  name: 'k',
  scopes: ['webhooks.read'],
  limits: undefined,
  apiVersion: '2026-10-01',
  expiresAt: undefined,
} as const
const PAGE = { after: undefined, limit: BATCH, horizonMs: 1e9 } as const

const LONG_AGO = new Date('2020-01-01')
const FEED = { accountId: 'a', mode: 'live', limit: BATCH, horizonMs: 1e12, personalData: false } as const

const ALL = {
  accountId: 'a',
  mode: 'live',
  state: undefined,
  search: undefined,
  before: undefined,
  limit: BATCH,
} as const
const SEARCH: RequestOf<'events', 'searchEvents'> = {
  ...{ accountId: 'a', mode: 'live', type: undefined, id: undefined, subject: undefined },
  ...{ from: undefined, to: undefined, failing: false, after: undefined, limit: BATCH, horizonMs: 1e9 },
}
const SKIPPED = { states: ['skipped'], from: new Date(0), to: undefined, limit: BATCH } as const
const STATES = [undefined, 'pending', 'retrying', 'exhausted', 'skipped', 'expired', 'disabled'] as const

interface Grown {
  readonly url: string
  readonly store: PostgresStore
  /**
   * The names of the statements for which Postgres used no generic plan after their first five runs. During those five
   * runs it always plans anew, to compare costs.
   */
  plannedAnew(): Promise<string[]>
  /** Returns how many blocks a call read, divided by this number of events. */
  blocks(events: number, call: () => Promise<unknown>): Promise<number>
  stop(): Promise<void>
}

/**
 * Creates an account and lets it grow, from a few events to many or from one subscription to many. Each subscription is
 * confirmed by a key of its own. The tables are analysed before the account grows (`early`), afterwards (`late`), or
 * never.
 */
async function grow(
  name: string,
  {
    early = '',
    late = '',
    events = EVENTS,
    lanes = 1,
  }: { early?: string; late?: string; events?: number; lanes?: number },
): Promise<Grown> {
  const admin = new Pool({ connectionString: server.url, max: 1 })
  await admin.query(`create database ${name}`)
  await admin.end()
  const url = new URL(server.url)
  url.pathname = `/${name}`
  const pool = new Pool({ connectionString: url.href, max: 1 })
  let read = 0
  pool.on('connect', (client) => {
    client.on('notice', ({ message = '' }) => {
      const start = message.indexOf('{')
      if (start === -1) return
      const { Plan: plan } = JSON.parse(message.slice(start))
      read += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
    })
  })
  const store = await migratedStore(pool)
  await createSubscription(store, newSubscription())
  const publish = async (count: number): Promise<void> => {
    await store.events.publishDrafts(
      Array.from({ length: count }, () => eventDraft()),
      undefined,
    )
    await store.deliveries.sequence(count)
  }
  await store.keys.issueKey({ ...READER_KEY, id: createId('key'), tokenHash: TOKEN_HASH }, 1, ENTRY)
  await publish(BATCH)
  await pool.query(early)
  for (let published = BATCH; published < events; published += 500) await publish(500)
  for (let created = 1; created < lanes; created++) {
    const confirmedBy = createId('key')
    const tokenHash = crypto.getRandomValues(new Uint8Array(32))
    await store.keys.issueKey({ ...READER_KEY, id: confirmedBy, tokenHash }, lanes + 1, ENTRY)
    await createSubscription(store, newSubscription({ source: 'api', confirmedBy }))
  }
  await pool.query(late)
  // Removes the dead rows that sequencing left in the outbox, because these tests are not about reading past them.
  await pool.query('vacuum callboard.outbox')
  return {
    url: url.href,
    store,
    async blocks(events, call) {
      read = 0
      await call()
      return Math.ceil(read / events)
    },
    async plannedAnew() {
      const { rows } = await pool.query<{ name: string }>(
        'select name from pg_prepared_statements where custom_plans > $1::int order by name',
        [RUNS_FOR_VALUES],
      )
      return rows.map(({ name }) => name)
    },
    stop: () => pool.end(),
  }
}

/**
 * Runs the statements of a publisher, a worker and a reader several times. Returns, for each statement, the most blocks
 * that a run read per event.
 */
async function ask({ store, blocks }: Grown): Promise<Record<string, number>> {
  const { admission, events, deliveries, deliveryLog, health } = store
  const {
    subscriptions: [subscription],
  } = await health.overview({ ...ALL, limit: 1 })
  const most: Record<string, number> = {}
  // Plans the statements within the functions.
  await admission.admitRequest({ tokenHash: TOKEN_HASH, limits: DEFAULT_RATE_LIMITS })
  await planRanges(store, subscription!)
  for (let run = 0; run < RUNS; run++) {
    const note = async (name: string, count: number, call: () => Promise<unknown>): Promise<void> => {
      most[name] = Math.max(most[name] ?? 0, await blocks(count, call))
    }
    const drafts = Array.from(
      { length: BATCH },
      (): EventDraft => ({ ...eventDraft(undefined, createId('evt')), ownId: true }),
    )
    await events.publishDrafts(drafts, undefined)
    await note('publish again', BATCH, () => events.publishDrafts(drafts, undefined))
    const [first] = drafts
    // This takes two statements: one finds that the event exists, the other returns the event.
    await note('publish one again', 2, () => events.publishDrafts([first!], undefined))
    // No event has the last type. If reading its empty page read through all other events, the count would show it.
    for (const type of [undefined, 'order.paid', 'order.refunded']) {
      const page = { ...PAGE, type }
      await note('page', BATCH, () => events.pageEvents({ ...page, accountId: 'a', mode: 'live', personalData: false }))
      await note('page of a caller', BATCH, () =>
        admission.admitRequest({ tokenHash: TOKEN_HASH, limits: DEFAULT_RATE_LIMITS, page }),
      )
    }
    await note('find', 1, () => events.find('a', 'live', drafts[0]!.id))
    const subject = drafts[0]!.subject.id
    for (const query of [{}, { type: 'order.paid' }, { type: 'order.refunded' }, { subject }])
      await note(`deliveries of found events, ${JSON.stringify(query)}`, BATCH, () =>
        events.searchEvents({ ...SEARCH, ...query }),
      )
    // Also reads two tables of records.
    await note('deliveries of found events that fail', 2 * BATCH, () =>
      events.searchEvents({ ...SEARCH, failing: true }),
    )
    await note('found event', TABLES_OF_DELIVERY, () => events.searchEvents({ ...SEARCH, id: drafts[0]!.id }))
    await note('failures', BATCH, () => deliveryLog.newestFailures({ accountId: 'a', mode: 'live' }, BATCH))
    await note('backlog', BATCH, () => deliveries.backlog())
    await note('gauges', BATCH, () => deliveries.gauges())
    await note('sequence', BATCH, () => deliveries.sequence(BATCH))
    for (const types of [undefined, ['order.paid', 'order.refunded'], ['order.refunded']]) {
      const feed = { ...FEED, types }
      const [page] = await events.readFeed([{ ...feed, start: { at: 'end' } }])
      const end = { ...feed, start: { at: 'place', place: page!.place } } as const
      const idle = Array.from({ length: BATCH }, () => end)
      const found = types?.includes('order.paid') === false ? 2 : BATCH
      await note(`feed of ${types}`, found, () => events.readFeed([{ ...feed, start: { at: 'time', time: LONG_AGO } }]))
      await note('feed with nothing new', BATCH, () => events.readFeed(idle))
    }
    let lanes: Awaited<ReturnType<typeof deliveries.lease>> = []
    let due: readonly DueLane[] = []
    await note('due', BATCH, async () => {
      ;({ lanes: due } = await deliveries.due({ limit: 10, after: undefined }))
    })
    await note('lease', BATCH, async () => {
      lanes = await deliveries.lease(leaseOf(due))
    })
    const [lane] = lanes
    expect(lane?.deliveries).toHaveLength(BATCH)
    await note('check', 1, () => deliveries.checkLeases([lane!.lease]))
    const settlement = run % 2 === 0 ? sent(lane!) : failed(lane!)
    await note('settle', BATCH, () => deliveries.settle([settlement], FAILING_RULE))
    for (const state of STATES)
      for (const type of [undefined, 'order.paid'])
        await note(`deliveries that are ${state}, ${type}`, BATCH, () =>
          deliveryLog.page(subscription!, { state, type, before: undefined, limit: BATCH }),
        )
    await note('health', BATCH, () => health.findWithHealth(subscription!))
    await note('history', BATCH, () => health.history(subscription!))
    for (const range of ACTIVITY_RANGES)
      await note(`activity of a ${range}`, BATCH, () => health.activity({ ...ALL, range }))
    // Looks into each table that may record the state of a delivery.
    await note('delivery', TABLES_OF_DELIVERY, () => deliveryLog.find(lane!.lease, drafts[0]!.id))
    // Reads only the records of deliveries in the three states, not the delivered events in the feed.
    const ended = { ...SKIPPED, states: ['exhausted', 'skipped', 'disabled'], after: undefined, limit: 500 } as const
    await note('range that is counted', TABLES_OF_DELIVERY, () => deliveryLog.countRange(lane!.lease, ended))
    await note('range that is sent again', TABLES_OF_DELIVERY, () => deliveryLog.resendRange(lane!.lease, ended, ENTRY))
    await note('attempts of a delivery', 1, () =>
      deliveryLog.attempts(lane!.lease, { eventId: drafts[0]!.id, before: undefined, limit: 1 }),
    )
  }
  return most
}

/**
 * Publishes one event, and leases, sends and settles it. Returns how many blocks each of the worker's statements read.
 */
async function visit({ store: { events, deliveries }, blocks }: Grown): Promise<Record<string, number>> {
  await events.publishDrafts([eventDraft()], undefined)
  let lanes: Awaited<ReturnType<typeof deliveries.lease>> = []
  const sequence = await blocks(1, () => deliveries.sequence(BATCH))
  let found: readonly DueLane[] = []
  const search = await blocks(1, async () => {
    ;({ lanes: found } = await deliveries.due({ limit: 10, after: undefined }))
  })
  const lease = await blocks(1, async () => {
    lanes = await deliveries.lease(leaseOf(found))
  })
  const settle = await blocks(1, () => deliveries.settle(lanes.map(sent), FAILING_RULE))
  return { sequence, search, lease, settle, sent: lanes.flatMap(({ deliveries: due }) => due).length }
}

function leaseOf(lanes: readonly DueLane[]): RequestOf<'deliveries', 'lease'> {
  return { worker: 'w', call: 1, lanes: lanes.map((lane) => ({ ...lane, room: BATCH })), leaseMs: 60_000 }
}

/** The first delivery is exhausted; the others will be attempted again. */
function failed(lane: LeasedLane): LaneSettlement {
  const { attempts, ...settlement } = sent(lane)
  return {
    ...settlement,
    succeeded: false,
    failedAttempts: attempts.length,
    attempts: attempts.map((attempt, n) => ({ ...attempt, outcome: n === 0 ? 'exhausted' : 'failed', status: 500 })),
    retries: attempts
      .slice(1)
      .map(({ eventId }) => ({ eventId, attempts: 1, delayMs: 1e9, suspect: false, redacted: false })),
  }
}

function sent(lane: LeasedLane): LaneSettlement {
  return {
    ...settled(lane),
    attempts: lane.deliveries.map(({ eventId }) => ({
      id: createId('att'),
      eventId,
      number: 1,
      outcome: 'delivered',
      status: 200,
      reason: undefined,
      durationMs: 1,
      response: undefined,
    })),
  }
}

function limitOf(name: string): number {
  if (['sequence', 'settle', 'range that is sent again'].includes(name)) return FEW_IN_FUNCTION
  return name.startsWith('deliveries') ? FEW_LISTED : FEW
}

describe('an account of many events', () => {
  it.each([
    { state: 'never analysed' },
    { state: 'analysed while it was small', early: 'analyze' },
    { state: 'analysed', late: 'analyze' },
  ])(
    'is read by key when it was $state: a few blocks per event, however many there are',
    async ({ state, ...analysed }) => {
      const grown = await grow(state.replaceAll(' ', '_'), analysed)
      const most = await ask(grown)
      expect(Object.entries(most).filter(([name, blocks]) => blocks > limitOf(name))).toEqual([])
      await grown.stop()
    },
  )

  it('is read page by page without planning the statement anew for each page', async () => {
    const grown = await grow('planned_once', { late: 'analyze' })
    await ask(grown)
    const pages = (await grown.plannedAnew()).filter((name) => /admit|page/.test(name))
    expect(pages).toEqual([])
    await grown.stop()
  })
})

describe('a lane that gets one event after the other', () => {
  it.each([{ state: 'never analysed' }, { state: 'analysed', late: 'analyze' }])(
    'is sequenced, leased and settled without planning any statement anew each time: $state',
    async ({ state, ...analysed }) => {
      const grown = await grow(`visited_${state.replaceAll(' ', '_')}`, analysed)
      for (let visits = 0; visits < 2 * RUNS; visits++) {
        await visit(grown)
        await grown.store.events.publishDrafts([eventDraft()])
        const { lanes } = await sequenceAndLease(grown.store, { limit: BATCH, lanes: 1 })
        await grown.store.deliveries.checkLeases(lanes.map(({ lease }) => lease))
        await grown.store.deliveries.settle(lanes.map(sent), FAILING_RULE)
      }
      expect(await grown.plannedAnew()).toEqual([])
      await grown.stop()
    },
  )
})

/** Opens a transaction that keeps Postgres from vacuuming until it ends. */
async function holdVacuumBack({ url }: Grown): Promise<{ end(): Promise<void> }> {
  const holder = new Client({ connectionString: url })
  await holder.connect()
  await holder.query('begin isolation level repeatable read')
  await holder.query('create table orders ()')
  return holder
}

describe('a lane that was leased often while a long transaction kept Postgres from vacuuming', () => {
  it('is leased and settled by reading only its newest version, not the dead versions', async () => {
    const grown = await grow('held', { events: BATCH })
    const holder = await holdVacuumBack(grown)
    for (let visits = 0; visits < VISITS; visits++) await visit(grown)
    const { sent: count, ...last } = await visit(grown)
    expect(count).toBe(1)
    await holder.end()
    expect(Object.entries(last).filter(([, blocks]) => blocks > FEW_VISITING)).toEqual([])
    await grown.stop()
  })

  it('is looked up by its newest version even after an analysis has counted the dead versions', async () => {
    const grown = await grow('held_and_analysed', { events: BATCH, lanes: FEW_LANES })
    const holder = await holdVacuumBack(grown)
    const pool = new Pool({ connectionString: grown.url, max: 1 })
    for (let visits = 0; visits < VISITS; visits++) await pool.query('update callboard.lanes set epoch = epoch + 1')
    await pool.query('analyze')
    await pool.end()
    await grown.store.events.publishDrafts([eventDraft(), eventDraft()])
    const read = await grown.blocks(FEW_LANES, () => grown.store.deliveries.sequence(BATCH))
    await holder.end()
    expect(read).toBeLessThan(FEW_WAKING)
    await grown.stop()
  })
})

/**
 * Runs the statements of an account with many subscriptions. Returns, for each statement, the most blocks that a run
 * read per lane or lookup.
 */
async function askOfMany({ store, blocks }: Grown): Promise<Record<string, number>> {
  const { subscriptions, events, deliveries, deliveryLog, health } = store
  const most: Record<string, number> = {}
  const note = async (name: string, count: number, call: () => Promise<unknown>): Promise<void> => {
    most[name] = Math.max(most[name] ?? 0, await blocks(count, call))
  }
  const request = { limit: BATCH, lanes: LEASED }
  for (let worker = 0; worker < WORKERS; worker++)
    await deliveries.attend({ id: `w${worker}`, name: 'w', details: LONG_REPORT })
  for (let run = 0; run < RUNS; run++) {
    await events.publishDrafts([eventDraft()])
    await note('sequence one', LANES, () => sequenceAndLease({ deliveries }, request))
    await events.publishDrafts([eventDraft(), eventDraft()])
    await note('sequence two', LANES, () => sequenceAndLease({ deliveries }, request))
    let due: readonly DueLane[] = []
    await note('due', LEASED, async () => {
      ;({ lanes: due } = await deliveries.due({ limit: LEASED, after: undefined }))
    })
    let lanes: readonly LeasedLane[] = []
    await note('lease', LEASED, async () => {
      lanes = await deliveries.lease(leaseOf(due))
    })
    expect(lanes).toHaveLength(LEASED)
    await note('check', LEASED, () => deliveries.checkLeases(lanes.map(({ lease }) => lease)))
    // Only a few fail.
    const settlements = lanes.map((lane, n) => (n < BATCH ? failed(lane) : sent(lane)))
    const count = lanes.flatMap((lane) => lane.deliveries).length
    await note('settle', count, () => deliveries.settle(settlements, FAILING_RULE))
    for (const state of [undefined, 'active', 'failing', 'disabled'] as const)
      for (const before of [undefined, lanes[0]!.lease.id])
        await note(`overview of ${state ?? 'all'}`, BATCH, () => health.overview({ ...ALL, state, before }))
    for (const search of ['hooks', 'nowhere'])
      await note(`search for ${search}`, LANES, () => health.overview({ ...ALL, search }))
    await note('health', 1, () => health.findWithHealth(lanes[0]!.lease))
    await note('history', 1, () => health.history(lanes[0]!.lease))
    for (const range of ACTIVITY_RANGES)
      await note(`activity of a ${range}`, CAPS.summed, () => health.activity({ ...ALL, range }))
    await note('events found', BATCH * CAPS.deliveries, () => events.searchEvents(SEARCH))
    await note('failing events found', BATCH * CAPS.deliveries, () => events.searchEvents({ ...SEARCH, failing: true }))
    await note('failures', BATCH, () => deliveryLog.newestFailures({ accountId: 'a', mode: 'live' }, BATCH))
    await note('find', 1, () => subscriptions.find(lanes[0]!.lease))
    const imported = Array.from({ length: BATCH }, () => newImport({ id: 'a' }, { mode: 'test' }))
    for (const times of [1, 2])
      await note(times === 1 ? 'import' : 'import again', BATCH, () =>
        subscriptions.importSubscriptions(imported, { total: LANES, dryRun: false }),
      )
    await note('find an imported one', 1, () => subscriptions.find(imported[0]!))
    await note('gauges', LOOKED_AT, () => deliveries.gauges())
    const trouble = { limit: LOOKED_AT, reasons: ['gone'], latelyMs: 60_000, lateMs: 0 } as const
    await note('troubled', 4 * LOOKED_AT, () => health.troubled({ ...trouble, owner: undefined }))
    const owner = { accountId: 'a', mode: 'live' } as const
    await note('troubled-of-account', CAPS.summed, () => health.troubled({ ...trouble, owner }))
  }
  return most
}

function limitOfMany(name: string): number {
  if (name === 'import') return FEW_OF_IMPORT
  if (name.startsWith('sequence')) return FEW_WAKING
  return name.startsWith('search') ? FEW_SEARCHED : FEW_OF_LANE
}

/** How many records of one kind a lane has. */
const RECORDS = 2_000

const RETRYING = { states: ['exhausted', 'retrying'], from: new Date(0), to: undefined, limit: BATCH } as const

/** Gives the lane this many exhausted and as many retrying deliveries. */
async function failMany({ url }: Grown): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(`
with n as materialized (
  select n, gen_random_uuid() as id, n % 2 = 0 as is_retrying, (select max(position) from callboard.feed) + n as position
  from generate_series(1, 2 * ${RECORDS}) n
),
stored as (
  insert into callboard.events (account_id, mode, id, type, occurred_at, published_at, subject_type, subject_id,
    sequence, body, fingerprint)
  select 'a', 'live', id, 'order.paid', callboard.clock(), callboard.clock(), 'order', 'x', n, '{}', 'f' from n
),
fed as (
  insert into callboard.feed (account_id, mode, position, type, event_id)
  select 'a', 'live', position, 'order.paid', id from n
),
ended as (
  insert into callboard.ended_deliveries (account_id, mode, subscription_id, event_id, state, attempts, position)
  select 'a', 'live', l.subscription_id, n.id, 'exhausted', 1, n.position
  from n cross join callboard.lanes l where not n.is_retrying
),
retried as (
  insert into callboard.retries (account_id, mode, subscription_id, event_id, attempts, due_at, position)
  select 'a', 'live', l.subscription_id, n.id, 1, callboard.clock() + interval '1 day', n.position
  from n cross join callboard.lanes l where n.is_retrying
)
update callboard.lanes set settled_through = (select max(position) from n)`)
  await client.end()
}

/** On its first call, a session plans the statements within a function, and planning reads catalogs. */
async function planRanges({ deliveryLog }: PostgresStore, subscription: SubscriptionRef): Promise<void> {
  const nothing = { ...SKIPPED, states: [], after: undefined }
  await deliveryLog.countRange(subscription, nothing)
  await deliveryLog.resendRange(subscription, nothing, ENTRY)
}

/** Returns how many blocks it reads to count one delivery of a step. */
function blocksToCount(
  { blocks, store: { deliveryLog } }: Grown,
  subscription: SubscriptionRef,
  range: ResendRange,
): Promise<number> {
  return blocks(BATCH, async () => {
    expect(await deliveryLog.countRange(subscription, range)).toMatchObject({ resent: BATCH })
  })
}

describe('a subscription with many deliveries that failed', () => {
  it.each([
    { when: 'before they failed', early: true },
    { when: 'once they had failed', early: false },
  ])(
    'resends them by reading a few blocks per delivery if its session planned the functions $when',
    async ({ when, early }) => {
      const grown = await grow(`failed_${when.replaceAll(' ', '_')}`, { events: BATCH })
      const { subscriptions } = await grown.store.health.overview({ ...ALL, limit: 1 })
      const subscription = subscriptions[0]!
      const { deliveryLog } = grown.store
      const plan = async (): Promise<void> => {
        await planRanges(grown.store, subscription)
        await deliveryLog.resend(subscription, createId('evt'), ENTRY)
      }
      if (early) await plan()
      await failMany(grown)
      if (!early) await plan()
      const { deliveries } = await deliveryLog.page(subscription, {
        state: 'exhausted',
        type: undefined,
        before: undefined,
        limit: RUNS,
      })
      let after: RangePlace | undefined
      for (const { eventId } of deliveries) {
        expect(await blocksToCount(grown, subscription, { ...RETRYING, after })).toBeLessThan(FEW_RESENT)
        const range = await grown.blocks(BATCH, async () => {
          const step = await deliveryLog.resendRange(subscription, { ...RETRYING, after }, ENTRY)
          if (typeof step === 'string') throw new Error(step)
          expect(step.resent).toBe(BATCH)
          after = step.next
        })
        expect(range).toBeLessThan(FEW_RESENT)
        // The first time, the delivery has ended; the second time, it is a retry.
        for (const outcome of ['scheduled', 'hastened']) {
          const one = await grown.blocks(1, async () => {
            expect(await deliveryLog.resend(subscription, eventId, ENTRY)).toBe(outcome)
          })
          expect(one, outcome).toBeLessThan(FEW_RESENT)
        }
      }
      await grown.stop()
    },
  )
})

describe('a subscription with many deliveries that ended without an attempt', () => {
  const analysed = [
    { state: 'never analysed', statement: '' },
    { state: 'analysed', statement: 'analyze' },
  ]
  async function firstOf({ store }: Grown): Promise<SubscriptionRef> {
    const { subscriptions } = await store.health.overview({ ...ALL, limit: 1 })
    return subscriptions[0]!
  }

  async function analyse({ url }: Grown, statement: string): Promise<void> {
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query(statement)
    await client.end()
  }

  it.each(analysed)(
    'resends them by reading a few blocks per delivery, even if they ended before their events had a position: $state',
    async ({ state, statement }) => {
      const grown = await grow(`unsequenced_${state.replaceAll(' ', '_')}`, { events: BATCH })
      const subscription = await firstOf(grown)
      const { store } = grown
      await store.events.publishDrafts(Array.from({ length: UNSEQUENCED }, () => eventDraft()))
      await skipToNow(store, subscription)
      await store.deliveries.sequence(UNSEQUENCED)
      await analyse(grown, statement)
      await planRanges(store, subscription)
      let after: RangePlace | undefined
      for (let run = 0; run < RUNS; run++) {
        expect(await blocksToCount(grown, subscription, { ...SKIPPED, after })).toBeLessThan(FEW_RESENT)
        const blocks = await grown.blocks(BATCH, async () => {
          const step = await store.deliveryLog.resendRange(subscription, { ...SKIPPED, after }, ENTRY)
          if (typeof step === 'string') throw new Error(step)
          // The first step resends the ten deliveries whose events had a position.
          expect(step.resent).toBe(BATCH)
          after = step.next
        })
        expect(blocks).toBeLessThan(FEW_RESENT)
      }
      await grown.stop()
    },
  )

  it.each(analysed)(
    'lists and resends them by reading a few blocks per delivery, however many ranges they ended in: $state',
    async ({ state, statement }) => {
      const grown = await grow(`ranges_${state.replaceAll(' ', '_')}`, { events: BATCH })
      const subscription = await firstOf(grown)
      const { store } = grown
      for (let skip = 0; skip < SKIPS; skip++) {
        await store.events.publishDrafts([eventDraft()])
        await store.deliveries.sequence(1)
        await skipToNow(store, subscription)
      }
      await analyse(grown, statement)
      await planRanges(store, subscription)
      let after: RangePlace | undefined
      let before: number | undefined
      for (let run = 0; run < RUNS; run++) {
        const listed = await grown.blocks(BATCH, async () => {
          const page = await store.deliveryLog.page(subscription, {
            state: 'skipped',
            type: undefined,
            before,
            limit: BATCH,
          })
          expect(page.deliveries).toHaveLength(BATCH)
          before = page.next
        })
        expect(listed).toBeLessThan(FEW_IN_RANGES)
        expect(await blocksToCount(grown, subscription, { ...SKIPPED, after })).toBeLessThan(FEW_RESENT)
        const resent = await grown.blocks(BATCH, async () => {
          const step = await store.deliveryLog.resendRange(subscription, { ...SKIPPED, after }, ENTRY)
          if (typeof step === 'string') throw new Error(step)
          expect(step.resent).toBe(BATCH)
          after = step.next
        })
        expect(resent).toBeLessThan(FEW_RESENT)
      }
      await grown.stop()
    },
  )
})

describe('an account of many subscriptions and keys', () => {
  it.each([
    { state: 'never analysed' },
    { state: 'analysed while it was small', early: 'analyze' },
    { state: 'analysed', late: 'analyze' },
  ])(
    'is read by key when it was $state: a few blocks per lane, however many there are',
    async ({ state, ...analysed }) => {
      const grown = await grow(`lanes_${state.replaceAll(' ', '_')}`, { ...analysed, events: BATCH, lanes: LANES })
      const most = await askOfMany(grown)
      expect(Object.entries(most).filter(([name, blocks]) => blocks > limitOfMany(name))).toEqual([])
      await grown.stop()
    },
  )
})

it('finds a subscription that was imported without an id by its digest, however many an account has', async () => {
  const grown = await grow('imported', { events: BATCH })
  const importUnnamed = (count: number) => {
    const items = Array.from({ length: count }, (_, n) => {
      const id = createId('sub')
      return newImport({ id: 'a' }, { id, laneId: id, named: false, digests: [`k1.${n}`] })
    })
    return grown.store.subscriptions.importSubscriptions(items, { total: 2 * LANES, dryRun: false })
  }
  await importUnnamed(LANES)
  for (let run = 0; run < RUNS; run++)
    expect(await grown.blocks(BATCH, () => importUnnamed(BATCH))).toBeLessThan(FEW_IN_FUNCTION)
  await grown.stop()
})

/** How many rows of each kind an account has. No page looks at more than 1,000 of a kind. */
const ROWS = 3_000
const OLD_MS = 40 * 86_400_000
const HORIZON_MS = 30 * 86_400_000

/** The limit for a page, in blocks: so many for each row that it may look at. */
function limitOfPage(name: string): number {
  if (/^search .* true/.test(name)) return 7 * 1_000
  if (/^(events |search)/.test(name)) return 1_300
  if (/^deliveries (undefined|delivered|retrying)/.test(name)) return 11 * 1_000
  return 100
}

/**
 * Gives account `a` more events of one subject, some of them published before the horizon, retrying and added
 * deliveries, removed subscriptions, and entries of the audit trail.
 */
async function fill({ url }: Grown, subscription: SubscriptionRef): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const id = uuidFromId('sub', subscription.id)
  await client.query(`
with n as materialized (select n, gen_random_uuid() as id from generate_series(1, 3 * ${ROWS}) n order by id),
stored as (
  insert into callboard.events (account_id, mode, id, type, occurred_at, published_at, subject_type, subject_id,
    sequence, body, fingerprint)
  select 'a', 'live', n.id, case n % 3 when 0 then 'order.paid' when 1 then 'order.created' else 'order.old' end,
    x.at, x.at, 'order', 'busy', n, '{}', 'f'
  from n cross join lateral (
    select callboard.clock() - case n % 3 when 2 then ${OLD_MS} else 0 end * interval '1 ms' - n * interval '1 ms' as at
  ) x
),
fed as (
  insert into callboard.feed (account_id, mode, position, type, event_id)
  select 'a', 'live', (select coalesce(max(position), 0) from callboard.feed) + n, 'order.created', id from n
  where n % 3 = 1
),
added as (
  insert into callboard.added_deliveries select 'a', 'live', '${id}', id from n where n % 3 = 1
),
retried as (
  insert into callboard.retries (account_id, mode, subscription_id, event_id, attempts, due_at, position)
  select 'a', 'live', '${id}', id, 1, callboard.clock() + interval '1 day', n from n where n % 3 = 1
),
removed as (
  insert into callboard.subscriptions (account_id, mode, id, source, target_url, event_types, integration, api_version,
    secret, state)
  select 'a', 'live', id, 'api', 'https://hooks.example.com', '{order.paid}', 'other', 'v', 's', 'removed' from n
  where n % 3 = 0
)
insert into callboard.audit_entries (actor, action, account_id, mode, object_id)
select 'platform', 'subscription.disabled', 'a', 'test', '${id}' from n where n % 3 = 0`)
  await client.query('vacuum analyze')
  await client.end()
}

/** Returns how many blocks each page reads that a customer can ask for. */
async function pagesOf({ store, blocks }: Grown, subscription: SubscriptionRef): Promise<Record<string, number>> {
  const { events, deliveryLog, health, audit } = store
  const read: Record<string, number> = {}
  const note = async (name: string, call: () => Promise<unknown>): Promise<void> => {
    // A session reads catalogs when it first plans a statement.
    await call()
    read[name] = await blocks(1, call)
  }
  const owner = { accountId: 'a', mode: 'live' } as const
  const past = { occurredAt: Date.now() - OLD_MS / 2, id: createId('evt') }
  const horizonMs = HORIZON_MS
  for (const type of [undefined, 'order.created', 'order.old', 'order.never'])
    for (const after of [undefined, past])
      await note(`events ${type} ${after?.id.length}`, () =>
        events.pageEvents({ ...owner, type, after, limit: BATCH, horizonMs, personalData: false }),
      )
  for (const type of [undefined, 'order.paid', 'order.old', 'order.never'])
    for (const subject of [undefined, 'busy', 'ticket busy'])
      for (const failing of [false, true])
        for (const after of [undefined, past])
          await note(`search ${type} ${subject} ${failing} ${after?.id.length}`, () =>
            events.searchEvents({ ...SEARCH, type, subject, failing, after, horizonMs }),
          )
  const request = { before: undefined, limit: BATCH } as const
  for (const state of [...STATES, 'delivered'] as const)
    for (const type of [undefined, 'order.paid', 'order.never'])
      await note(`deliveries ${state} ${type}`, () => deliveryLog.page(subscription, { ...request, state, type }))
  const published = { from: new Date(past.occurredAt), to: new Date() }
  await note('deliveries undefined of a time', () =>
    deliveryLog.page(subscription, { ...request, state: undefined, type: undefined, published }),
  )
  const { events: newest } = await events.pageEvents({ ...owner, ...PAGE, type: 'order.created', personalData: false })
  const eventId = newest[0]!.id
  await note('deliveries of an event', () =>
    deliveryLog.pageOfEvent({ ...owner, eventId }, { ...request, state: undefined }),
  )
  await note('delivery', () => deliveryLog.find(subscription, eventId))
  await note('attempts', () => deliveryLog.attempts(subscription, { ...request, eventId: undefined }))
  await note('attempts of an event', () => deliveryLog.attempts(owner, { ...request, eventId }))
  await note('failures', () => deliveryLog.newestFailures(owner, BATCH))
  for (const state of [undefined, 'active', 'failing', 'disabled'] as const)
    for (const search of [undefined, 'nowhere'])
      await note(`overview ${state} ${search}`, () => health.overview({ ...ALL, state, search }))
  await note('health', () => health.findWithHealth(subscription))
  await note('history', () => health.history(subscription))
  for (const range of ACTIVITY_RANGES)
    await note(`activity ${range}`, () => health.activity({ ...owner, range, limit: BATCH }))
  for (const mode of [undefined, 'live', 'test'] as const)
    for (const objectId of [undefined, subscription.id, createId('sub')])
      await note(`audit trail ${mode} ${objectId}`, () =>
        audit.list({ accountId: 'a', mode, objectId, before: undefined, limit: BATCH }),
      )
  await note('audit trail of another account', () =>
    audit.list({ accountId: 'b', mode: undefined, objectId: undefined, before: undefined, limit: BATCH }),
  )
  await note('names in the audit trail', () => audit.findObjects([subscription.id, createId('key'), 'ep-1']))
  return read
}

describe('a page that a customer can ask for', () => {
  it('looks at a limited number of rows, however many the account has', async () => {
    const grown = await grow('paged', { events: BATCH })
    const { subscriptions } = await grown.store.health.overview({ ...ALL, limit: 1 })
    const subscription = subscriptions[0]!
    await fill(grown, subscription)
    const read = await pagesOf(grown, subscription)
    expect(Object.entries(read).filter(([name, blocks]) => blocks > limitOfPage(name))).toEqual([])
    await grown.stop()
  })
})
