import { PERIODS } from '@callboard/core/store'
import { eventByKey } from '../sql/event-by-key.ts'
import { idOf } from '../sql/id-of.ts'
import type { Statement, SubscriptionKey } from '../sql/statement.ts'
import { FIRST_ID, LAST_ID } from '../sql/uuid-range.ts'

export interface LogKeyRow {
  account_id: string
  mode: string
  id: string
}

/** The next subscriptions in key order. Removed ones are included, because they still have logs. */
export const nextLogs: Statement<LogKeyRow, { readonly after: SubscriptionKey; readonly limit: number }> = {
  name: 'next-logs',
  text: `
select account_id, mode, id::text as id from callboard.subscriptions s
where (s.account_id, s.mode, s.id) > (:after.accountId, :after.mode, :after.id::uuid)
order by s.account_id, s.mode, s.id limit :limit::int`,
}

export interface LogsParameters {
  readonly after: SubscriptionKey
  readonly through: SubscriptionKey
  /** How long a removed subscription is kept. */
  readonly removedMs: number
}

export interface StepParameters extends LogsParameters {
  readonly limit: number
}

export interface AgeParameters extends StepParameters {
  readonly horizonMs: number
}

/**
 * The subscriptions of this step. `leaving` is true if the subscription was removed so long ago that it is deleted with
 * its logs. `after` is the attempt up to which surplus responses have already been removed.
 */
const LOGS = `logs as materialized (
  select s.account_id, s.mode, s.id, coalesce(s.responses_through, '${FIRST_ID}'::uuid) as after,
    s.state = 'removed' and s.changed_at < callboard.clock() - :removedMs::float8 * interval '1 ms' as leaving
  from callboard.subscriptions s
  where (s.account_id, s.mode, s.id) > (:after.accountId, :after.mode, :after.id::uuid)
    and (s.account_id, s.mode, s.id) <= (:through.accountId, :through.mode, :through.id::uuid)
)`

/** SQL that tests whether a row belongs to subscription `s`. */
const inLog = (row: string): string =>
  `${row}.account_id = s.account_id and ${row}.mode = s.mode and ${row}.subscription_id = s.id`

/** Rows from before this time are old. */
const HORIZON = `callboard.clock() - :horizonMs::float8 * interval '1 ms'`

const deleteOld = (table: string): string => `gone as (
  delete from callboard.${table} where ctid = any (array(select row_id from old)) returning 1
)
select count(*)::int as n from gone`

/** SQL for the first rows of each log that meet a condition, in the order of an index. */
const oldest = (table: string, order: string, filter: string): string => `
with ${LOGS},
old as materialized (
  select a.row_id from logs s cross join lateral (
    select x.ctid as row_id from callboard.${table} x
    where ${inLog('x')} and ${filter}
    order by x.${order} limit :limit::int
  ) a limit :limit::int
),`

/** SQL that deletes the rows whose id and time are old. */
const deleteAged = (table: string, id: string, time: string): string => `${oldest(
  table,
  id,
  `x.${id} < case when s.leaving then '${LAST_ID}'::uuid else ${idOf(HORIZON)} end
      and (s.leaving or x.${time} < ${HORIZON})`,
)}
${deleteOld(table)}`

export const retainAttempts: Statement<{ n: number }, AgeParameters> = {
  name: 'retain-attempts',
  text: deleteAged('attempts', 'id', 'started_at'),
}

/**
 * Reads only responses that became old after the previous pass of retention or in the two hours before it, because
 * workers' clocks differ. If a worker's clock was further behind, its responses stay until their attempts are deleted.
 * An index of the attempts that have a response would find those too, but would cost an entry for nearly every attempt.
 */
export const retainResponses: Statement<{ n: number }, StepParameters> = {
  name: 'retain-responses',
  text: `
with ${LOGS},
old as materialized (
  select a.row_id from logs s cross join callboard.retention r cross join lateral (
    select x.ctid as row_id from callboard.attempts x
    where ${inLog('x')}
      and x.id >= case
        when isfinite(r.responses_from) then ${idOf("r.responses_from - interval '2 hours'")}
        else '${FIRST_ID}'::uuid
      end
      and x.id < ${idOf('r.responses_until')} and x.started_at < r.responses_until and x.response is not null
    order by x.id limit :limit::int
  ) a limit :limit::int
),
gone as (
  update callboard.attempts set response = null where ctid = any (array(select row_id from old)) returning 1
)
select count(*)::int as n from gone`,
}

/**
 * Removes the responses beyond the newest `kept` of each subscription, oldest first. `settle` does not do this, because
 * it would have to count at every attempt. Nearly every attempt has a response, if only an empty one, so reading the
 * newest attempts finds the surplus without another index: 25 ms for 100 subscriptions with 1,000 responses each.
 *
 * The read ends at `responses_through`, so that no pass reads the attempts whose responses were removed before. If an
 * attempt with a lower id is settled late, it keeps its response until it is old.
 */
export const retainNewestResponses: Statement<{ n: number }, StepParameters & { readonly kept: number }> = {
  name: 'retain-newest-responses',
  text: `
with ${LOGS},
surplus as materialized (
  select s.account_id, s.mode, s.id, s.after, newest.id as through from logs s cross join lateral (
    select x.id from callboard.attempts x
    where ${inLog('x')} and x.id > s.after and x.response is not null
    order by x.id desc offset :kept::int limit 1
  ) newest
),
old as materialized (
  select a.row_id from surplus s cross join lateral (
    select x.ctid as row_id from callboard.attempts x
    where ${inLog('x')} and x.id > s.after and x.id <= s.through and x.response is not null
    order by x.id limit :limit::int
  ) a limit :limit::int
),
gone as (
  update callboard.attempts set response = null where ctid = any (array(select row_id from old))
  returning account_id, mode, subscription_id, id
),
moved as (
  update callboard.subscriptions s set responses_through = g.through
  from (
    select account_id, mode, subscription_id, (array_agg(id order by id desc))[1] as through
    from gone group by account_id, mode, subscription_id
  ) g
  where s.account_id = g.account_id and s.mode = g.mode and s.id = g.subscription_id
)
select count(*)::int as n from gone`,
}

/**
 * `horizonMs` must be the horizon of events or that of attempts, whichever is longer, because the delivery can be seen
 * while its event or one of its attempts exists.
 */
export const retainEndedDeliveries: Statement<{ n: number }, AgeParameters> = {
  name: 'retain-ended-deliveries',
  text: deleteAged('ended_deliveries', 'event_id', 'ended_at'),
}

/** `horizonMs` must be the same as for {@link retainEndedDeliveries}. */
export const retainEndedRanges: Statement<{ n: number }, AgeParameters> = {
  name: 'retain-ended-ranges',
  text: `
with ${LOGS},
old as materialized (
  select x.ctid as row_id from logs s join callboard.ended_ranges x on ${inLog('x')}
  where s.leaving or x.ended_at < ${HORIZON} limit :limit::int
),
${deleteOld('ended_ranges')}`,
}

/** Deletes the records of deliveries that a resend added, once their event no longer exists. */
export const retainAdded: Statement<{ n: number }, StepParameters> = {
  name: 'retain-added-deliveries',
  text: `
with ${LOGS},
old as materialized (
  select d.ctid as row_id from logs s join callboard.added_deliveries d on ${inLog('d')}
  where s.leaving or (select e.type from ${eventByKey('d.account_id', 'd.mode', 'd.event_id')} e) is null
  limit :limit::int
),
${deleteOld('added_deliveries')}`,
}

/** How long counts are kept: a day longer than the longest chart of hours, or of days, shows. */
const HOURS_KEPT = PERIODS.day.length + 24
const DAYS_KEPT = PERIODS.month.length + 1

const deleteOldPeriods = (
  table: 'lane_hours' | 'lane_days',
  period: 'hour' | 'day',
  kept: string,
): string => `${oldest(table, period, `(s.leaving or x.${period} < ${kept})`)}
${deleteOld(table)}`

export const retainHours: Statement<{ n: number }, StepParameters> = {
  name: 'retain-hours',
  text: deleteOldPeriods('lane_hours', 'hour', `extract(epoch from callboard.clock()) / 3600 - ${HOURS_KEPT}`),
}

export const retainDays: Statement<{ n: number }, StepParameters> = {
  name: 'retain-days',
  text: deleteOldPeriods('lane_days', 'day', `floor(extract(epoch from callboard.clock()) / 86400) - ${DAYS_KEPT}`),
}

/** Deletes the removed subscriptions of this step. Runs last, once their logs are empty. */
export const retainSubscriptions: Statement<{ n: number }, LogsParameters> = {
  name: 'retain-subscriptions',
  text: `
with ${LOGS},
gone as (
  delete from callboard.subscriptions s using logs g
  where g.leaving and s.account_id = g.account_id and s.mode = g.mode and s.id = g.id
  returning 1
)
select count(*)::int as n from gone`,
}
