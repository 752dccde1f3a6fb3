import { eventByKey } from './event-by-key.ts'
import type { Statement } from './statement.ts'

export interface LogKeyRow {
  account_id: string
  mode: string
  id: string
}

/** The next subscriptions in key order, removed ones included: what is logged is kept by subscription. */
export const nextLogs: Statement<LogKeyRow> = {
  name: 'next-logs',
  text: `
select account_id, mode, id::text as id from callboard.subscriptions s
where (s.account_id, s.mode, s.id) > ($1, $2, $3::uuid) order by s.account_id, s.mode, s.id limit $4::int`,
}

/** Those subscriptions again, and whether each was removed long enough ago to go with all that is its. */
const logs = `logs as materialized (
  select s.account_id, s.mode, s.id, s.state = 'removed' and s.changed_at < callboard.clock() - $7::float8 * interval '1 ms' as leaving
  from callboard.subscriptions s
  where (s.account_id, s.mode, s.id) > ($1, $2, $3::uuid) and (s.account_id, s.mode, s.id) <= ($4, $5, $6::uuid)
)`

/**
 * Ids begin with the time at which a worker made them, so they say where in the key's order to stop: what is young is not read.
 * The time that counts is the database's, beside it.
 */
const idOf = (time: string): string =>
  `(lpad(to_hex(greatest(0, floor(extract(epoch from ${time}) * 1000))::bigint), 12, '0') || '00000000000000000000')::uuid`

const LAST_ID = `'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid`

const attemptsAge = `callboard.clock() - $8::float8 * interval '1 ms'`

export const retainAttempts: Statement<{ n: number }> = {
  name: 'retain-attempts',
  text: `
with ${logs},
old as materialized (
  select a.at from logs s cross join lateral (
    select x.ctid as at from callboard.attempts x
    where x.account_id = s.account_id and x.mode = s.mode and x.subscription_id = s.id
      and x.id < case when s.leaving then ${LAST_ID} else ${idOf(attemptsAge)} end and (s.leaving or x.started_at < ${attemptsAge})
    order by x.id limit $9::int
  ) a limit $9::int
),
gone as (
  delete from callboard.attempts where ctid = any (array(select at from old)) returning 1
)
select count(*)::int as n from gone`,
}

/**
 * A pass reads only what has become old since the one before, and two hours more: what a worker made whose clock was later than
 * that stays until its attempt goes. An index of what has a response would cost every attempt one more entry.
 */
export const retainResponses: Statement<{ n: number }> = {
  name: 'retain-responses',
  text: `
with ${logs},
old as materialized (
  select a.at from logs s cross join callboard.retention r cross join lateral (
    select x.ctid as at from callboard.attempts x
    where x.account_id = s.account_id and x.mode = s.mode and x.subscription_id = s.id
      and x.id >= case when isfinite(r.responses_from) then ${idOf("r.responses_from - interval '2 hours'")} else '00000000-0000-0000-0000-000000000000'::uuid end
      and x.id < ${idOf('r.responses_until')} and x.started_at < r.responses_until and x.response is not null
    order by x.id limit $8::int
  ) a limit $8::int
),
gone as (
  update callboard.attempts set response = null where ctid = any (array(select at from old)) returning 1
)
select count(*)::int as n from gone`,
}

/** How deliveries ended is told as long as their events or attempts are: $8 is the longer of the two. */
const endedAge = `callboard.clock() - $8::float8 * interval '1 ms'`

export const retainEndedDeliveries: Statement<{ n: number }> = {
  name: 'retain-ended-deliveries',
  text: `
with ${logs},
old as materialized (
  select a.at from logs s cross join lateral (
    select x.ctid as at from callboard.ended_deliveries x
    where x.account_id = s.account_id and x.mode = s.mode and x.subscription_id = s.id
      and x.event_id < case when s.leaving then ${LAST_ID} else ${idOf(endedAge)} end and (s.leaving or x.ended_at < ${endedAge})
    order by x.event_id limit $9::int
  ) a limit $9::int
),
gone as (
  delete from callboard.ended_deliveries where ctid = any (array(select at from old)) returning 1
)
select count(*)::int as n from gone`,
}

export const retainEndedRanges: Statement<{ n: number }> = {
  name: 'retain-ended-ranges',
  text: `
with ${logs},
old as materialized (
  select x.ctid as at from logs s
  join callboard.ended_ranges x on x.account_id = s.account_id and x.mode = s.mode and x.subscription_id = s.id
  where s.leaving or x.ended_at < ${endedAge} limit $9::int
),
gone as (
  delete from callboard.ended_ranges where ctid = any (array(select at from old)) returning 1
)
select count(*)::int as n from gone`,
}

/** What was sent by hand beside a subscription's share of the feed: as long as the event is there. */
export const retainAdded: Statement<{ n: number }> = {
  name: 'retain-added-deliveries',
  text: `
with ${logs},
old as materialized (
  select d.ctid as at from logs s
  join callboard.added_deliveries d on d.account_id = s.account_id and d.mode = s.mode and d.subscription_id = s.id
  where s.leaving or (
    select e.type from ${eventByKey('d.account_id', 'd.mode', 'd.event_id')} e
  ) is null
  limit $8::int
),
gone as (
  delete from callboard.added_deliveries where ctid = any (array(select at from old)) returning 1
)
select count(*)::int as n from gone`,
}

/** More than a chart of them shows, so that a longer one would have what it needs. */
const HOURS_KEPT = 7 * 24

export const retainHours: Statement<{ n: number }> = {
  name: 'retain-hours',
  text: `
with ${logs},
old as materialized (
  select a.at from logs s cross join lateral (
    select x.ctid as at from callboard.lane_hours x
    where x.account_id = s.account_id and x.mode = s.mode and x.subscription_id = s.id
      and (s.leaving or x.hour < extract(epoch from callboard.clock()) / 3600 - ${HOURS_KEPT})
    order by x.hour limit $8::int
  ) a limit $8::int
),
gone as (
  delete from callboard.lane_hours where ctid = any (array(select at from old)) returning 1
)
select count(*)::int as n from gone`,
}

/** Last, once nothing is logged for them any more. */
export const retainSubscriptions: Statement<{ n: number }> = {
  name: 'retain-subscriptions',
  text: `
with ${logs},
gone as (
  delete from callboard.subscriptions s using logs g
  where g.leaving and s.account_id = g.account_id and s.mode = g.mode and s.id = g.id returning 1
)
select count(*)::int as n from gone`,
}
