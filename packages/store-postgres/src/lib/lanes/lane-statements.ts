import { DISABLED_REASONS } from '@callboard/core/store'
import { oldestPending } from '../health/health-of.ts'
import { eventByKey } from '../sql/event-by-key.ts'
import type { Statement } from '../sql/statement.ts'
import { selectionColumns } from '../subscriptions/selections.ts'
import { attends } from '../workers/attends.ts'
import { isLane, newestLane, sameLane } from './lane-key.ts'
import { LEASES, type LeaseInput, RAISED_EPOCH } from './leases.ts'
import { JOIN_CONFIRMING_KEY, STANDING_COLUMNS, type StandingRow } from './standing.ts'

export interface CheckRow extends StandingRow {
  n: number
}

/**
 * The last check before a worker sends requests, for many lanes at once. A lane whose lease was lost, or whose pending
 * deliveries were ended during the lease, has no row.
 */
export const checkLeases: Statement<CheckRow, { readonly leases: readonly LeaseInput[] }> = {
  name: 'check-leases',
  text: `
select leases.n::int as n, ${STANDING_COLUMNS}
from ${LEASES}
cross join lateral (
  select from callboard.lanes x
  where ${isLane('x', 'leases', '= leases.epoch')} and x.state = 'leased'
    and x.skipped_epoch is distinct from x.epoch
  order by x.epoch limit 1
) l
join callboard.subscriptions s
  on s.account_id = leases.account_id and s.mode = leases.mode and s.id = leases.subscription_id
${JOIN_CONFIRMING_KEY}`,
}

/**
 * Ends all leases, including the few that workers still hold on lanes of disabled subscriptions, as core's `takenBack`
 * says.
 */
export const releaseLeases: Statement<{ n: number }> = {
  name: 'release-leases',
  text: `
with leases as materialized (
  select account_id, mode, subscription_id from callboard.lanes where state = 'leased'
  union all
  select l.account_id, l.mode, l.subscription_id from callboard.subscriptions s
  join callboard.lanes l on l.account_id = s.account_id and l.mode = s.mode and l.subscription_id = s.id
  where s.state = 'disabled' and l.leased_until is not null
),
held as (
  select l.account_id, l.mode, l.subscription_id from leases h join callboard.lanes l on ${sameLane('l', 'h')}
  where l.state = 'leased' or l.leased_until is not null
  order by 1, 2, 3 for update of l
),
released as (
  update callboard.lanes l
  set state = case when l.state = 'leased' then 'idle' else l.state end, worker = null, epoch = ${RAISED_EPOCH},
    wake_at = case when l.state = 'leased' then callboard.clock() end, leased_until = null
  from held h where ${sameLane('l', 'h')}
  returning 1
)
select count(*)::int as n from released`,
}

/** Wakes lanes that have work but no wake time, as core's `swept` says. */
export const sweepLanes: Statement<{ n: number }> = {
  name: 'sweep-lanes',
  text: `
with lost as (
  select account_id, mode, subscription_id from callboard.lanes l
  where state = 'idle' and wake_at is null and (head > settled_through or backfill_state = 'running' or exists (
    select from callboard.retries r where ${sameLane('r', 'l')} and r.due_at is not null
  ))
  order by 1, 2, 3 for update skip locked
),
woken as (
  update callboard.lanes l set wake_at = callboard.clock() from lost w where ${sameLane('l', 'w')}
  returning 1
)
select count(*)::int as n from woken`,
}

export interface BacklogRow {
  outbox: number
  age_ms: number
  /** The id of the event at the start of the outbox; null if the outbox is empty. */
  next: string | null
  next_in_ms: number | null
}

const firstWake = (state: string): string => `(
      select wake_at from callboard.lanes
      where ${state} and wake_at is not null order by wake_at, subscription_id limit 1
    )`

/**
 * Reads the first entry of the outbox, of the index of due lanes and of the index of leased lanes, and counts up to
 * 10,000 entries of the outbox. The entries have the order in which they were published.
 */
export const backlog: Statement<BacklogRow> = {
  name: 'backlog',
  text: `
select (select count(*) from (select from callboard.outbox limit 10000) x)::int as outbox,
  coalesce(extract(epoch from callboard.clock() - e.published_at), 0)::float8 * 1000 as age_ms,
  o.event_id::text as next,
  case when o.event_id is not null then 0 else (
    select greatest(0, ceil(extract(epoch from n.wake_at - callboard.clock()) * 1000))
    from (
      select least(
      ${firstWake(`state <> 'leased'`)},
      ${firstWake(`state = 'leased'`)}
      ) as wake_at
    ) n where n.wake_at is not null
  ) end::float8 as next_in_ms
from (values (1)) one
left join (select account_id, mode, event_id from callboard.outbox order by queued limit 1) o on true
left join lateral ${eventByKey('o.account_id', 'o.mode', 'o.event_id')} e on true`,
}

export interface GaugesRow extends Pick<BacklogRow, 'outbox' | 'age_ms'> {
  lane_lag_ms: number
  undelivered_ms: number
  retries: number
  gone: number
  failing: number
  key: number
  account: number
  platform: number
  paused: number
  /** The report of each worker that attends; null if none does. */
  reports: unknown[] | null
}

/** SQL for the number of paused lanes, up to 10,000. */
export const PAUSED_LANES = `(
    select count(*) from (select from callboard.lanes where state = 'paused' limit 10000) p
  )::int`

const longestDue = (slow: string): string => `(
    select wake_at from callboard.lanes
    where ${slow} and state <> 'leased' and wake_at <= callboard.clock() order by wake_at limit 1
  )`

const disabledFor = (reason: string): string =>
  `count(*) filter (where disabled_reason = '${reason}')::int as ${reason}`

const OF_ROW = { accountId: 'i.account_id', mode: 'i.mode' }
/**
 * The search for the oldest undelivered event looks at no more than this many lanes of each kind: due, leased and
 * paused.
 */
const SEARCHED = 20

const searched = (filter: string): string => `(
      select l.account_id, l.mode, l.subscription_id as id from callboard.lanes l
      where ${filter} order by l.wake_at limit ${SEARCHED}
    )`

/** SQL for the time at which the oldest event with a pending delivery was published. */
const OLDEST_PENDING = `(
    select min(p.published_at)
    from (
      ${searched("l.state <> 'leased' and l.wake_at <= callboard.clock()")}
      union
      ${searched("l.state = 'leased' and l.head > l.settled_through")}
      union
      ${searched("l.state = 'paused'")}
    ) i
    cross join lateral (
      select x.id, x.state, ${selectionColumns('x')} from callboard.subscriptions x
      where x.account_id = i.account_id and x.mode = i.mode and x.id = i.id limit 1
    ) s
    cross join lateral ${newestLane({ ...OF_ROW, id: 'i.id' })} l
    cross join lateral (${oldestPending(OF_ROW)}
    ) p
  )`

/**
 * SQL for the time at which the oldest event with a retrying delivery was published. Ids begin with a time, so the
 * oldest event has the lowest id.
 */
const OLDEST_RETRY = `(
    select e.published_at
    from (
      select x.account_id, x.mode, x.event_id from (
        select r.account_id, r.mode, r.event_id from callboard.retries r limit 100000
      ) x
      order by x.event_id limit 1
    ) r
    cross join lateral ${eventByKey('r.account_id', 'r.mode', 'r.event_id')} e
  )`

/**
 * Needs the indexes `subscriptions_disabled` and `lanes_paused`. All other indexes that it uses exist for the workers
 * anyway.
 */
export const gauges: Statement<GaugesRow> = {
  name: 'gauges',
  text: `
select b.outbox, b.age_ms, d.*,
  coalesce(extract(epoch from callboard.clock() - least(
    ${longestDue('not slow')},
    ${longestDue('slow')}
  )), 0)::float8 * 1000 as lane_lag_ms,
  greatest(
    b.age_ms, extract(epoch from callboard.clock() - least(${OLDEST_PENDING}, ${OLDEST_RETRY}))::float8 * 1000
  ) as undelivered_ms,
  (select count(*) from (select from callboard.retries where due_at is not null limit 100000) r)::int as retries,
  ${PAUSED_LANES} as paused,
  (select json_agg(w.details) from callboard.workers w where ${attends('w', 'callboard.clock()')}) as reports
from (${backlog.text}) b
cross join (
  select ${DISABLED_REASONS.map(disabledFor).join(',\n    ')}
  from callboard.subscriptions where state = 'disabled'
) d`,
}
