import { laneFrom } from './lane-from.ts'
import { RAISED_EPOCH } from './raised-epoch.ts'
import { joinConfirmingKey, type StandingRow, standingColumns } from './standing.ts'
import type { Statement } from './statement.ts'

export interface CheckRow extends StandingRow {
  n: number
}

/** The last look before requests start, for many lanes at once. */
export const checkLeases: Statement<CheckRow> = {
  name: 'check-leases',
  text: `
select i.n::int as n, ${standingColumns}
from unnest($1::text[], $2::text[], $3::uuid[], $4::bigint[]) with ordinality as i(account_id, mode, subscription_id, epoch, n)
cross join lateral (
  select from callboard.lanes x where ${laneFrom('x', 'i', '= i.epoch')} and x.state = 'leased' order by x.epoch limit 1
) l
join callboard.subscriptions s on s.account_id = i.account_id and s.mode = i.mode and s.id = i.subscription_id
${joinConfirmingKey}`,
}

export const releaseLeases: Statement<{ n: number }> = {
  name: 'release-leases',
  text: `
with held as (
  select account_id, mode, subscription_id from callboard.lanes where state = 'leased' order by 1, 2, 3 for update
),
released as (
  update callboard.lanes l set state = 'idle', worker = null, epoch = ${RAISED_EPOCH}, wake_at = callboard.clock() from held h
  where l.account_id = h.account_id and l.mode = h.mode and l.subscription_id = h.subscription_id returning 1
)
select count(*)::int as n from released`,
}

/** Lanes with work and no time to wake at. */
export const sweepLanes: Statement<{ n: number }> = {
  name: 'sweep-lanes',
  text: `
with lost as (
  select account_id, mode, subscription_id from callboard.lanes l
  where state = 'idle' and wake_at is null and (head > cursor or exists (
    select from callboard.retries r where r.account_id = l.account_id and r.mode = l.mode and r.subscription_id = l.subscription_id and r.due_at is not null))
  order by 1, 2, 3 for update skip locked
),
woken as (
  update callboard.lanes l set wake_at = callboard.clock() from lost w
  where l.account_id = w.account_id and l.mode = w.mode and l.subscription_id = w.subscription_id returning 1
)
select count(*)::int as n from woken`,
}

export interface BacklogRow {
  outbox: number
  age_ms: number
}

export const backlog: Statement<BacklogRow> = {
  name: 'backlog',
  text: `
select count(*)::int as outbox, coalesce(extract(epoch from callboard.clock() - min(e.published_at)), 0)::float8 * 1000 as age_ms
from (select account_id, mode, event_id from callboard.outbox where shard = 0 order by queued limit 10000) o
join callboard.events e on e.account_id = o.account_id and e.mode = o.mode and e.id = o.event_id`,
}

export interface GaugesRow extends BacklogRow {
  lane_lag_ms: number
  retries: number
  gone: number
  failing: number
  key: number
  account: number
  platform: number
}

/** What waits, by indexes that are there for other reasons, but for the one of disabled subscriptions. */
export const gauges: Statement<GaugesRow> = {
  name: 'gauges',
  text: `
select b.*, d.*,
  coalesce(extract(epoch from callboard.clock() - least(
    (select wake_at from callboard.lanes where not slow and state <> 'leased' and wake_at <= callboard.clock() order by wake_at limit 1),
    (select wake_at from callboard.lanes where slow and state <> 'leased' and wake_at <= callboard.clock() order by wake_at limit 1))), 0)::float8 * 1000 as lane_lag_ms,
  (select count(*) from (select from callboard.retries where due_at is not null limit 100000) r)::int as retries
from (${backlog.text}) b
cross join (
  select count(*) filter (where disabled_reason = 'gone')::int as gone, count(*) filter (where disabled_reason = 'failing')::int as failing,
    count(*) filter (where disabled_reason = 'key')::int as key, count(*) filter (where disabled_reason = 'account')::int as account,
    count(*) filter (where disabled_reason = 'platform')::int as platform
  from callboard.subscriptions where state = 'disabled'
) d`,
}
