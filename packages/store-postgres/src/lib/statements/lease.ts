import { TRUSTED_CLAIMS } from '@callboard/core/store'
import { eventByKey } from '../fragments/event-by-key.ts'
import { firstOfSubject } from '../fragments/first-of-subject.ts'
import { isLane, sameLane } from '../fragments/lane-key.ts'
import { RAISED_EPOCH } from '../fragments/raised-epoch.ts'
import { shareOf } from '../fragments/share.ts'
import {
  JOIN_CONFIRMING_KEY,
  MAY_SEE_PERSONAL_DATA,
  STANDING_COLUMNS,
  type StandingRow,
} from '../fragments/standing.ts'
import { wasBefore } from '../fragments/was-before.ts'
import type { LeaseInput } from './lease-rows.ts'
import { rowsOf } from './rows-of.ts'
import type { Statement } from './statement.ts'

/** A leased lane, however it was found. */
export interface LeasedLaneRow extends StandingRow {
  account_id: string
  mode: 'live' | 'test'
  subscription_id: string
  epoch: number
  claims: number
  cursor: number
  head: number
  failures: number
  target_url: string
  api_version: string
  secret: string
  former_secret: string | null
  former_secret_expires_at: number | null
}

export interface LeaseRow extends LeasedLaneRow {
  /** The most deliveries that this row may contain. */
  room: number
  /** This column and those below are text with one line per delivery, retries first; null if nothing is due. */
  ids: string | null
  /** The line is empty for a retry. */
  positions: string | null
  /**
   * For each delivery: the number of attempts so far, then letters: `s`uspect, `r`edacted, `b`locked by an earlier
   * event of its subject, `o`lder than the subscription.
   */
  marks: string | null
  /** Null if the subscription keeps no order. */
  subjects: string | null
  /** The line is empty, here and in the columns below, if the event no longer exists. */
  types: string | null
  fingerprints: string | null
  /** Separated by U+001E instead of line breaks. */
  bodies: string | null
  /**
   * Separated like the bodies. Empty for an event without personal data, and for one whose personal data may not be
   * sent.
   */
  patches: string | null
  traces: string | null
}

export interface LeaseParameters {
  readonly lanes: readonly LaneInput[]
  readonly worker: string
  readonly call: number
  readonly leaseMs: number
  /**
   * After this many failures in a row, a lane gets only one delivery per lease, to test whether its target works again.
   */
  readonly breakerThreshold: number
}

interface LaneInput extends LeaseInput {
  /** The most deliveries to lease. */
  readonly room: number
}

const LANES = rowsOf<LaneInput>('lanes', {
  account_id: 'text',
  mode: 'text',
  subscription_id: 'uuid',
  epoch: 'bigint',
  room: 'int',
})

/** The separator U+001E, as in RFC 7464. No JSON text contains it. */
const BETWEEN_TEXTS = `E'\\x1e'`

function lines(value: string, between = `E'\\n'`): string {
  return `string_agg(coalesce(${value}, ''), ${between})`
}

/** SQL for the first due retries of lane `w` that meet a condition. */
const retriesDue = (filter: string, order: string): string => `
      select r.event_id, r.attempts, r.suspect, r.redacted, r.asked_at, r.due_at, r.subject from callboard.retries r
      where ${sameLane('r', 'w')} and r.${filter} and r.due_at <= callboard.clock() and w.is_seen
      order by r.${order} limit (w.room + 1) / 2`

const MARKS = `
      d.attempts::text
      || case when d.suspect then 's' else '' end
      || case when d.redacted then 'r' else '' end
      || case when s.ordering = 'subject' and d.position is not null
        and exists (select from ${firstOfSubject('w', 'o.subject')} f) then 'b' else '' end
      || case when d.position is not null and ${wasBefore('e', 'w')} then 'o' else '' end`

/**
 * Leases many lanes and reads their deliveries in one statement. Each lane is one row, in which each delivery is a
 * line: a delivery then takes 15 microseconds of Postgres and 4-7 of Node. With one row per delivery, it took 20-27 and
 * 10-12.
 *
 * `head` is read from the statement's snapshot, because the locked row may be newer: its `head` may count events that
 * the snapshot's feed does not show yet, and a cursor moved there would skip them. If the locked row is newer, a settle
 * may also have changed the lane's retries, so they are not read. If the subscription keeps an order, the feed is not
 * read either: later events may have to wait for a failure that the settle recorded.
 *
 * The epoch that a lane had when it was found lets the statement skip dead versions of the lane's row.
 */
export const lease: Statement<LeaseRow, LeaseParameters> = {
  name: 'lease',
  text: `
-- Leases lanes one by one, in the given order. A lane that another transaction has locked, leased or settled meanwhile
-- is left out.
with chosen as materialized (
  select i.n, i.account_id, i.mode, i.subscription_id, i.room, l.epoch, l.version,
    seen.version as seen_version, seen.head
  from (select * from ${LANES} order by n) i
  cross join lateral (
    select x.state, x.head, x.ctid as version from callboard.lanes x
    where ${isLane('x', 'i', '>= i.epoch')} and x.wake_at <= callboard.clock() order by x.epoch limit 1
  ) seen
  cross join lateral (
    select x.epoch, x.ctid as version from callboard.lanes x
    where ${isLane('x', 'i', '>= i.epoch')} and x.state = seen.state and x.wake_at <= callboard.clock()
    order by x.epoch limit 1 for update skip locked
  ) l
),
leased as (
  update callboard.lanes l
  set state = 'leased', worker = :worker, lease_call = :call::bigint, epoch = ${RAISED_EPOCH},
    claims = least(l.claims + 1, 100), room = c.room,
    wake_at = callboard.clock() + :leaseMs::float8 * interval '1 ms'
  -- Always true: the condition on epoch lowers the planner's row estimate, so that the planner looks the lane up by
  -- its key instead of scanning every dead version.
  from chosen c where c.epoch >= 0 and ${isLane('l', 'c', '>= c.epoch')}
  returning c.n, c.version = c.seen_version as is_seen, c.head, l.account_id, l.mode, l.subscription_id, l.epoch,
    l.claims, l.cursor, l.failures, l.since, l.since_at,
    case when l.claims > ${TRUSTED_CLAIMS} or l.failures >= :breakerThreshold::int then 1 else c.room end as room
)
select w.account_id, w.mode, w.subscription_id::text as subscription_id, w.epoch::float8 as epoch, w.claims::int as claims,
  w.cursor::float8 as cursor,
  case when s.ordering = 'none' or w.is_seen then w.head else w.cursor end::float8 as head,
  w.failures, w.room,
  s.target_url, s.api_version, s.secret,
  case when s.former_secret_expires_at > callboard.clock() then s.former_secret end as former_secret,
  extract(epoch from s.former_secret_expires_at)::float8 * 1000 as former_secret_expires_at, ${STANDING_COLUMNS},
  d.*
-- Reads the leased lanes one by one in the given order, which a join could change. They are sorted here, while the rows
-- have no bodies yet and sorting is cheap.
from (select * from leased order by n) w
cross join lateral (
  select x.* from callboard.subscriptions x
  where x.account_id = w.account_id and x.mode = w.mode and x.id = w.subscription_id limit 1
) s
${JOIN_CONFIRMING_KEY}
cross join lateral (
  with due as materialized (
    -- Two reads, each in the order of an index: first the deliveries that somebody asked for. Nearly always there are
    -- none, and finding that out takes 2 microseconds a lane.
    select * from (
      (${retriesDue('asked_at is not null', 'asked_at')})
      union all
      (${retriesDue('asked_at is null', 'due_at')})
    ) r
    order by r.asked_at, r.due_at limit (w.room + 1) / 2
  ),
  fresh as (
    select f.event_id, f.position from ${shareOf('s')} t
    cross join lateral (
      select x.event_id, x.position from callboard.feed x
      where x.account_id = w.account_id and x.mode = w.mode and x.type = t.type
        and x.position > greatest(w.cursor, t.after) and x.position <= t.through
        and (s.ordering = 'none' or w.is_seen)
      order by x.position limit w.room
    ) f
    order by f.position limit w.room - (select count(*) from due)
  ),
  next as (
    select event_id, null::bigint as position, attempts, suspect, redacted, asked_at, due_at, subject, 0 as kind
    from due
    union all
    select event_id, position, 0::smallint, false, false, null, null, null, 1 from fresh
    order by kind, asked_at, due_at, position
  )
  select ${lines('d.event_id::text')} as ids, ${lines('d.position::text')} as positions,
    ${lines(MARKS)} as marks,
    case when s.ordering = 'subject' then ${lines('coalesce(d.subject, o.subject)')} end as subjects,
    ${lines('e.type')} as types, ${lines('e.fingerprint')} as fingerprints, ${lines('e.trace')} as traces,
    ${lines('e.body', BETWEEN_TEXTS)} as bodies,
    ${lines(`case when not d.redacted and ${MAY_SEE_PERSONAL_DATA} then e.patch end`, BETWEEN_TEXTS)} as patches
  from next d
  left join lateral ${eventByKey('w.account_id', 'w.mode', 'd.event_id')} e on true
  left join lateral (select e.subject_type || ' ' || e.subject_id as subject) o on true
) d`,
}
