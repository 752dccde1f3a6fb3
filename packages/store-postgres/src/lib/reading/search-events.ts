import type { DeliveryState } from '@callboard/core'
import { CAPS } from '@callboard/core/store'
import { newestLane } from '../lanes/lane-key.ts'
import { eventByKey } from '../sql/event-by-key.ts'
import { rowByKey } from '../sql/row-by-key.ts'
import { type OwnerParameters, PAGE, type Statement } from '../sql/statement.ts'
import { isSelected, selectionColumns } from '../subscriptions/selections.ts'
import { isOfType, PASSED_OVER } from './event-page.ts'
import { addedOf, isCandidate, JUDGED_DELIVERIES } from './list-deliveries.ts'

export interface FoundEventRow {
  id: string
  type: string
  occurred_at: number
  subject_type: string
  subject_id: string
  sequence: number
  /** How many of its deliveries are in each state; null if it has none. */
  deliveries: Partial<Record<DeliveryState, number>> | null
  /** How many of them were due. */
  due: number
  /** Whether there may be more deliveries than were counted. */
  more: boolean
}

export interface EventSearchParameters extends OwnerParameters {
  /** Only events that occurred before `beforeAt`, or at `beforeAt` with an id lower than `beforeId`. */
  readonly beforeAt: string
  readonly beforeId: string
  /** Only events that occurred at this time or later. */
  readonly fromAt: string
  readonly horizonMs: number
  /** How many to show. */
  readonly limit: number
}

export interface TypeParameters {
  /** Null for all types. */
  readonly type: string | null
}

const ofAccount = (row: string): string => `${row}.account_id = :accountId and ${row}.mode = :mode`

const ASKED = `
with asked as materialized (
  select :beforeAt::timestamptz as before_at, :beforeId::uuid as before_id, :fromAt::timestamptz as from_at,
    callboard.clock() - :horizonMs::float8 * interval '1 ms' as oldest
),`

/** SQL that tests whether event `e` occurred in the range that the CTE `asked` describes. */
const IN_RANGE = `(e.occurred_at, e.id) < (asked.before_at, asked.before_id) and e.occurred_at >= asked.from_at`
/** SQL that tests whether event `e` was published within the horizon. */
const IS_RECENT = 'e.published_at >= asked.oldest'

const COLUMNS = 'e.id, e.type, e.occurred_at, e.subject_type, e.subject_id, e.sequence'

/** SQL for the newest events in the range, in the order of an index, whether or not they are recent. */
const looked = (filter: string, limit: string, orderedBy = ''): string => `
    select ${COLUMNS}, e.published_at from callboard.events e
    where ${ofAccount('e')} and ${IN_RANGE}
      and ${filter}
    order by ${orderedBy}e.occurred_at desc, e.id desc limit ${limit}`

/** SQL for the newest events in the range that are recent. */
const newest = (filter: string, orderedBy = ''): string => `
  select page.* from asked cross join lateral (
    select ${COLUMNS} from (${looked(filter, `:limit::int + ${PASSED_OVER}`, orderedBy)}
    ) e
    where ${IS_RECENT}
    order by e.occurred_at desc, e.id desc limit :limit::int
  ) page`

/**
 * SQL for the CTEs that count, for each event in `found`, its deliveries in each state. An event has no list of its
 * subscriptions, so they are looked up: those that ask for its type, those that are disabled, and those with a record
 * of a failed delivery.
 */
const OUTCOMES = `
stopped as materialized (
  select x.id, ${selectionColumns('x')} from callboard.subscriptions x
  where ${ofAccount('x')} and x.state = 'disabled' order by x.id desc limit ${CAPS.deliveries}
),
fed as materialized (
  select f.id as event_id, f.type, g.position from found f
  left join lateral ${rowByKey('feed', { account_id: ':accountId', mode: ':mode', event_id: 'f.id' })} g on true
),
addressed as materialized (
  select f.event_id, f.type, f.position, c.subscription_id from fed f cross join lateral (
    (
      select t.subscription_id from callboard.subscription_types t
      where ${ofAccount('t')} and t.type = f.type
      order by t.subscription_id desc limit ${CAPS.deliveries}
    )
    union select x.id from stopped x where ${isSelected('x', 'f.type', 'f.position')}
    union (
      select r.subscription_id from callboard.retries r
      where ${ofAccount('r')} and r.event_id = f.event_id and r.attempts > 0 limit ${CAPS.deliveries}
    )
    union (
      select d.subscription_id from callboard.ended_deliveries d
      where ${ofAccount('d')} and d.event_id = f.event_id limit ${CAPS.deliveries}
    )
  ) c
),
candidates as materialized (
  select i.subscription_id, i.event_id, i.type, i.position, ${addedOf('i', 'l', 's')} as added, null as place,
    l.state as lane_state, l.settled_through
  from addressed i
  cross join lateral (
    select ${selectionColumns('x')} from callboard.subscriptions x
    where ${ofAccount('x')} and x.id = i.subscription_id and x.state <> 'removed' limit 1
  ) s
  cross join lateral ${newestLane({ accountId: ':accountId', mode: ':mode', id: 'i.subscription_id' })} l
  left join lateral ${rowByKey('added_deliveries', {
    account_id: ':accountId',
    mode: ':mode',
    subscription_id: 'i.subscription_id',
    event_id: 'i.event_id',
  })} a on true
  where ${isCandidate('i', 'l', 's')}
),
judged as (${JUDGED_DELIVERIES}
),
outcomes as materialized (
  select j.event_id, json_object_agg(j.state, j.n) as deliveries, sum(j.due)::int as due,
    bool_or(j.state not in ('pending', 'delivered')) as failing
  from (
    select event_id, state, count(*)::int as n,
      count(*) filter (where state <> 'skipped' and (state <> 'disabled' or attempts > 0)) as due
    from judged group by event_id, state
  ) j
  group by j.event_id
)`

/** SQL for the columns of a {@link FoundEventRow}, from the event `f` and its `outcomes` `o`. */
const FOUND = `
  f.id::text as id, f.type, extract(epoch from f.occurred_at)::float8 * 1000 as occurred_at, f.subject_type,
  f.subject_id, f.sequence::float8 as sequence, o.deliveries, coalesce(o.due, 0) as due, (
    select count(*) from (
      select from callboard.subscription_types t where ${ofAccount('t')} and t.type = f.type
      order by t.subscription_id desc limit ${CAPS.deliveries} + 1
    ) x
  ) > ${CAPS.deliveries} or (select count(*) from stopped) = ${CAPS.deliveries} as more`

const search = (found: string): string => `${ASKED}
found as materialized (${found}
),${OUTCOMES}
select ${FOUND}
from found f left join outcomes o on o.event_id = f.id
order by f.occurred_at desc, f.id desc`

export const searchEvents: Statement<FoundEventRow, EventSearchParameters> = {
  ...PAGE,
  name: 'search-events',
  text: search(newest('true')),
}

// A separate statement, for the reason given in page-events.ts.
export const searchEventsOfType: Statement<FoundEventRow, EventSearchParameters & { type: string }> = {
  ...PAGE,
  name: 'search-events-of-type',
  text: search(newest(isOfType(':type::text'))),
}

export const searchEventById: Statement<FoundEventRow, EventSearchParameters & TypeParameters & { id: string }> = {
  ...PAGE,
  name: 'search-event-by-id',
  text: search(`
  select ${COLUMNS} from asked cross join lateral ${eventByKey(':accountId', ':mode', ':id::uuid')} e
  where ${IN_RANGE} and ${IS_RECENT} and (:type::text is null or e.type = :type)`),
}

export const searchEventsOfSubject: Statement<FoundEventRow, EventSearchParameters & { subject: string }> = {
  ...PAGE,
  name: 'search-events-of-subject',
  text: search(newest('e.subject_id = :subject::text', 'e.subject_id, ')),
}

export interface FilterParameters extends TypeParameters {
  /** Null for all subjects. */
  readonly subject: string | null
  /** The part of `subject` before its first space, and the part after it; null if it has no space. */
  readonly subjectType: string | null
  readonly subjectId: string | null
}

const MATCHES = `(:type::text is null or e.type = :type) and (
      :subject::text is null or e.subject_id = :subject
      or (e.subject_type = :subjectType::text and e.subject_id = :subjectId::text)
    )`

/** One search reads at most this many records of failed deliveries from each table. */
const MOST_RECORDS = 1000

const records = (table: string, filter: string): string => `(
    select r.event_id from callboard.${table} r where ${ofAccount('r')} and ${filter}
    order by r.account_id desc, r.mode desc, r.event_id desc limit ${MOST_RECORDS}
  )`

/** If no event was found, there is one row, and its id is null. */
export type FailingEventRow = (FoundEventRow | { readonly id: null }) & {
  /**
   * Whether the event still has a failing delivery. The records by which the event was found do not show a later
   * success.
   */
  failing: boolean
}

/**
 * Finds the events by the records of their failed deliveries, because searching from the newest event would read all
 * events to find a few failures. `overflowing` means that there may be more records than were read, so events may be
 * missing.
 */
export const searchFailingEvents: Statement<
  FailingEventRow & { overflowing: boolean },
  EventSearchParameters & FilterParameters
> = {
  ...PAGE,
  name: 'search-failing-events',
  text: `${ASKED}
records as materialized (
  ${records('retries', 'r.attempts > 0')} union all ${records('ended_deliveries', 'true')}
),
found as materialized (
  select ${COLUMNS} from asked cross join (select distinct event_id from records) r
  cross join lateral ${eventByKey(':accountId', ':mode', 'r.event_id')} e
  where ${IN_RANGE} and ${IS_RECENT} and ${MATCHES}
  order by e.occurred_at desc, e.id desc limit :limit::int
),${OUTCOMES}
select c.n >= ${MOST_RECORDS} as overflowing, ${FOUND}, coalesce(o.failing, false) as failing
from (select count(*) as n from records) c
left join found f on true left join outcomes o on o.event_id = f.id
order by f.occurred_at desc, f.id desc`,
}

/** How many events a scan looks at. */
export const SCANNED = 1000

export type ScannedEventRow = FailingEventRow & { looked_at: number; last_at: number | null; last_id: string | null }

/** Looks for events that meet a condition among `scanned`, the newest {@link SCANNED} events of the range. */
const scan = (scanned: string, condition: string): string => `${ASKED}
looked as materialized (${scanned}
),
found as materialized (
  select ${COLUMNS} from looked e cross join asked
  where ${IS_RECENT} and ${MATCHES} and ${condition}
  order by e.occurred_at desc, e.id desc limit :limit::int
),${OUTCOMES}
select k.looked_at, extract(epoch from k.last_at)::float8 * 1000 as last_at, k.last_id, ${FOUND},
  coalesce(o.failing, false) as failing
from (
  select count(*)::int as looked_at, min(e.occurred_at) as last_at,
    (array_agg(e.id::text order by e.occurred_at, e.id))[1] as last_id
  from looked e
) k
left join found f on true left join outcomes o on o.event_id = f.id
order by f.occurred_at desc, f.id desc`

const scanned = (filter: string, orderedBy = ''): string =>
  `(select e.* from asked cross join lateral (${looked(filter, `${SCANNED}`, orderedBy)}) e)`

/** Looks for events with records of failed deliveries. */
export const scanFailingEvents: Statement<ScannedEventRow, EventSearchParameters & FilterParameters> = {
  ...PAGE,
  name: 'scan-failing-events',
  text: scan(
    scanned('true'),
    `(
    exists (select from callboard.retries r where ${ofAccount('r')} and r.event_id = e.id and r.attempts > 0)
    or exists (select from callboard.ended_deliveries d where ${ofAccount('d')} and d.event_id = e.id)
  )`,
  ),
}

/**
 * Looks for events of a subject by their type or the type of the subject. No index has both, so a search for a type
 * that the subject never had would otherwise read all its events.
 */
export const scanEventsOfSubject: Statement<ScannedEventRow, EventSearchParameters & FilterParameters> = {
  ...PAGE,
  name: 'scan-events-of-subject',
  text: scan(
    `
  select e.* from (
    ${scanned('e.subject_id = :subject', 'e.subject_id, ')}
    union all ${scanned('e.subject_id = :subjectId', 'e.subject_id, ')}
  ) e
  order by e.occurred_at desc, e.id desc limit ${SCANNED}`,
    'true',
  ),
}
