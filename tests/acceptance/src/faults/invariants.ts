import { idFromUuid } from '@callboard/core/store'
import { verify } from '@callboard/signature'
import type { LoggedRequest } from '@callboard/testbed'
import { expect } from 'vitest'
import type { WorkerChild } from '../worker-child.ts'

/** The database and the receiver's log, on which the invariants are checked after a fault. */
export interface Evidence {
  /** Runs SQL on the database, without the faults of the proxy. In `text`, the schema is called `callboard`. */
  query(text: string): Promise<{ rows: Record<string, unknown>[] }>
  /** The complete log of the receiver. */
  readonly received: readonly LoggedRequest[]
  /** The secrets of each subscription, by the path of its target. */
  readonly secrets: ReadonlyMap<string, readonly string[]>
}

export interface Bounds {
  /**
   * How many deliveries were in flight, or answered but not settled, when workers crashed or lost leases; 0 by default.
   */
  readonly unsettled?: number | undefined
  /** How many workers crashed or lost leases; 0 by default. */
  readonly crashes?: number | undefined
  /** The most attempts per delivery that the schedule allows; 10 by default. */
  readonly attempts?: number | undefined
  /** For the path of each removed subscription: when its DELETE was answered, in milliseconds since the epoch. */
  readonly removed?: ReadonlyMap<string, number> | undefined
  /** How far the workers' clocks may be off, in seconds. The default is 300, the tolerance of receivers. */
  readonly toleranceS?: number | undefined
  /** Workers that must have survived. */
  readonly survivors?: readonly WorkerChild[] | undefined
}

/** The outcome of everything that was committed. */
export interface Ledger {
  /** How many deliveries are owed: for each event, one for every subscription that existed when it was published. */
  readonly owed: number
  readonly delivered: number
  /** How many deliveries ended without success, according to the database. */
  readonly ended: number
  readonly lost: number
  /** How many requests were received for deliveries that had already succeeded. */
  readonly repeated: number
}

interface Pair {
  readonly event: string
  readonly path: string
  readonly owed: boolean
  readonly ended: boolean
}

/** Checks invariants I1 to I9 after a fault. Call it once nothing is in flight. */
export async function expectInvariants(evidence: Evidence, bounds: Bounds = {}): Promise<Ledger> {
  const { received } = evidence
  const pairs = await pairsOf(evidence)
  const known = new Set(pairs.map(keyOf))
  const events = new Set(pairs.map(({ event }) => event))
  const requests = groupByKey(received)
  const succeeded = (pair: Pair): boolean => (requests.get(keyOf(pair)) ?? []).some(isSuccess)

  const owed = pairs.filter((pair) => pair.owed)
  const delivered = owed.filter(succeeded)
  const ended = owed.filter((pair) => pair.ended && !succeeded(pair))
  const lost = owed.filter((pair) => !pair.ended && !succeeded(pair))
  expect(lost, 'I1: committed, but neither delivered nor ended').toEqual([])
  expect(
    received.filter(({ id }) => !events.has(id)).map(({ id }) => id),
    'I2: sent, but never committed',
  ).toEqual([])
  const { removed = new Map(), unsettled = 0, crashes = 0, attempts = 10 } = bounds
  expect(
    received.filter(({ path, at }) => at > (removed.get(path) ?? Number.POSITIVE_INFINITY) + 1_000),
    'I3: sent more than a second after its subscription was removed',
  ).toEqual([])
  const repeated = [...requests.values()].map(countRepeats).reduce((sum, each) => sum + each, 0)
  expect(repeated, 'I4: repeats').toBeLessThanOrEqual(unsettled)
  expect(await forged(evidence, bounds.toleranceS ?? 300), 'I5: signatures that do not verify').toEqual([])
  expect(
    await forgotten(evidence),
    'I6: lanes still leased after their lease expired, or with work but no time to wake',
  ).toEqual([])
  const counts = [...requests.values()].map(({ length }) => length)
  expect(Math.max(0, ...counts), 'I7: attempts').toBeLessThanOrEqual(attempts + crashes)
  expect(
    received.map(({ path, id }) => keyOf({ path, event: id })).filter((key) => !known.has(key)),
    'I8: sent across accounts or modes',
  ).toEqual([])
  for (const survivor of bounds.survivors ?? []) await expectWell(survivor)
  return {
    owed: owed.length,
    delivered: delivered.length,
    ended: ended.length,
    lost: lost.length,
    repeated,
  }
}

/** Resolves once all published events are sequenced, and no lane is leased or has work. */
export async function quiet({ query }: Pick<Evidence, 'query'>, timeoutMs = 60_000): Promise<void> {
  const open = `
select (select count(*) from callboard.outbox)::int as outbox,
  (select count(*) from callboard.retries)::int as retries,
  (select count(*) from callboard.lanes
    where state = 'leased' or (state = 'idle' and head > settled_through))::int as lanes`
  await expect
    .poll(async () => (await query(open)).rows[0], { timeout: timeoutMs, interval: 50 })
    .toEqual({ outbox: 0, retries: 0, lanes: 0 })
}

/** Checks I9: the worker answers, reaches its store, and releases its connections. */
async function expectWell(survivor: WorkerChild): Promise<void> {
  await expect
    .poll(
      async () => {
        const { health, pool } = await survivor.look()
        return { ok: health.ok, idle: pool.idle === pool.total, waiting: pool.waiting }
      },
      { timeout: 10_000, interval: 20 },
    )
    .toEqual({ ok: true, idle: true, waiting: 0 })
}

/** Pairs every event with every subscription to its type in the same account and mode. */
async function pairsOf({ query }: Evidence): Promise<Pair[]> {
  // Gathers statistics, because Postgres would otherwise join these newly filled tables row by row.
  await query('analyze')
  const { rows } = await query(`
select e.id::text as event, s.target_url, e.published_at >= s.created_at as owed,
  s.state = 'removed'
    or exists (select from callboard.ended_deliveries d where d.account_id = s.account_id and d.mode = s.mode
      and d.subscription_id = s.id and d.event_id = e.id)
    or exists (select from callboard.ended_ranges r where r.account_id = s.account_id and r.mode = s.mode
      and r.subscription_id = s.id and f.position > r.after and f.position <= r.through) as ended
from callboard.events e
left join callboard.feed f on f.account_id = e.account_id and f.mode = e.mode and f.event_id = e.id
join callboard.subscriptions s on s.account_id = e.account_id and s.mode = e.mode and e.type = any (s.event_types)`)
  return rows.map(({ event, target_url: url, owed, ended }) => {
    const { pathname, search } = new URL(String(url))
    return {
      event: idFromUuid('evt', String(event)),
      path: `${pathname}${search}`,
      owed: owed === true,
      ended: ended === true,
    }
  })
}

async function forged({ received, secrets }: Evidence, tolerance: number): Promise<string[]> {
  const checked = await Promise.all(
    received.map(async ({ path, id, headers, body, at }) => {
      const secret = secrets.get(path) ?? []
      const valid = verify({ body, headers, secret, tolerance, now: new Date(at) })
      return (await valid.then(
        () => true,
        () => false,
      ))
        ? []
        : [id]
    }),
  )
  return checked.flat()
}

async function forgotten({ query }: Evidence): Promise<unknown[]> {
  const { rows } = await query(`
select l.subscription_id, l.state, l.wake_at, l.head, l.settled_through from callboard.lanes l
where (l.state = 'leased' and l.wake_at < callboard.clock() - interval '5 seconds')
  or (l.state = 'idle' and l.wake_at is null and (l.head > l.settled_through or exists (select from callboard.retries r
    where r.account_id = l.account_id and r.mode = l.mode and r.subscription_id = l.subscription_id)))`)
  return rows
}

function groupByKey(received: readonly LoggedRequest[]): Map<string, LoggedRequest[]> {
  const groups = new Map<string, LoggedRequest[]>()
  for (const request of received) {
    const key = keyOf({ path: request.path, event: request.id })
    groups.set(key, [...(groups.get(key) ?? []), request])
  }
  return groups
}

function countRepeats(requests: readonly LoggedRequest[]): number {
  const first = requests.findIndex(isSuccess)
  return first === -1 ? 0 : requests.length - first - 1
}

function isSuccess({ status }: LoggedRequest): boolean {
  return status !== null && status >= 200 && status <= 299
}

function keyOf({ path, event }: Pick<Pair, 'path' | 'event'>): string {
  return `${path} ${event}`
}
