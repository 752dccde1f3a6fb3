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
import type { Statement } from './statement.ts'

/** Nothing was leased. */
export interface NothingLeasedRow {
  looked_at: number
  subscription_id: null
}

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
  secret: string
  former_secret: string | null
  former_secret_expires_at: number | null
}

export interface LeaseRow extends LeasedLaneRow {
  /** When the scan looked for due lanes, in milliseconds since 1970 by the database's clock. */
  looked_at: number
  /** Since when the lane has been due. */
  lane_due_at: number
  /** The most deliveries that this row may contain. */
  room: number
  /** This column and those below are text with one line per delivery, retries first; null if nothing is due. */
  ids: string | null
  /** Empty for a retry. */
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
  readonly worker: string
  readonly lanes: number
  readonly perLane: number
  readonly leaseMs: number
  readonly slow: boolean
  /** Accounts to leave out. */
  readonly leaveOut: readonly string[]
  /**
   * After this many failures in a row, a lane gets only one delivery per lease, to test whether its target works again.
   */
  readonly breakerThreshold: number
  /** The scan skips lanes that were due before this time, in milliseconds since 1970; see `wake-mark.ts`. */
  readonly dueFrom: number
  /** The same for expired leases. */
  readonly leasedFrom: number
}

/** The separator U+001E, as in RFC 7464. No JSON text contains it. */
const BETWEEN_TEXTS = `E'\\x1e'`

function lines(value: string, between = `E'\\n'`): string {
  return `string_agg(coalesce(${value}, ''), ${between})`
}

/** SQL for up to `limit` lanes that meet the condition `state`; those that have been due longest come first. */
function lanesDue(state: string, dueFrom: string, limit: string): string {
  return `
  select account_id, mode, subscription_id, epoch, wake_at, ctid as version from callboard.lanes
  where slow = :slow::boolean and ${state} and account_id <> all (:leaveOut::text[])
    and wake_at <= callboard.clock() and wake_at > to_timestamp(${dueFrom}::float8 / 1000)
  order by wake_at limit ${limit} for update skip locked`
}

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
 * `head` is read from the statement's snapshot, not from the locked row. The locked row may be newer, and its `head`
 * may count events that the snapshot's feed does not show yet; a cursor moved to that `head` would skip them. If the
 * locked row is newer, a settle may also have changed the lane's retries, so they are not read. Nor is the feed, if the
 * subscription keeps an order, because a failure recorded by that settle is not visible yet.
 *
 * `dueFrom`, `leasedFrom` and the epoch let the statement skip dead row versions. At 5,000 deliveries/s, a long
 * transaction of the platform, which holds back vacuum, adds 6,000 of them each second. A lane that another worker
 * leased and settled after this statement's snapshot is left for the next scan.
 */
export const lease: Statement<LeaseRow | NothingLeasedRow, LeaseParameters> = {
  name: 'lease',
  text: `
with awake as materialized (${lanesDue(`state <> 'leased'`, ':dueFrom', ':lanes::int')}
),
-- Leases that have expired since the last scan. If a row has changed meanwhile, the count is taken again and may exceed
-- the limit, hence greatest().
abandoned as materialized (${lanesDue(
    `state = 'leased'`,
    ':leasedFrom',
    'greatest(:lanes::int - (select count(*) from awake), 0)',
  )}
),
chosen as materialized (
  table awake union all table abandoned
),
leased as (
  update callboard.lanes l
  set state = 'leased', worker = :worker, epoch = ${RAISED_EPOCH}, claims = least(l.claims + 1, 100),
    wake_at = callboard.clock() + :leaseMs::float8 * interval '1 ms'
  -- Always true: it lowers the planner's row estimate, so that it uses the key instead of scanning every dead version.
  from chosen c where c.epoch >= 0 and ${isLane('l', 'c', '>= c.epoch')}
  returning c.version, c.wake_at as due_at, l.account_id, l.mode, l.subscription_id, l.epoch, l.claims, l.cursor,
    l.failures, l.since, l.since_at,
    case when l.claims > ${TRUSTED_CLAIMS} or l.failures >= :breakerThreshold::int then 1 else :perLane::int end as room
)
select extract(epoch from n.at)::float8 * 1000 as looked_at,
  w.account_id, w.mode, w.subscription_id::text as subscription_id, w.epoch::float8 as epoch, w.claims::int as claims,
  w.cursor::float8 as cursor,
  case when s.ordering = 'none' or seen.ctid = w.version then seen.head else w.cursor end::float8 as head,
  w.failures, w.room, extract(epoch from w.due_at)::float8 * 1000 as lane_due_at,
  s.target_url, s.secret,
  case when s.former_secret_expires_at > callboard.clock() then s.former_secret end as former_secret,
  extract(epoch from s.former_secret_expires_at)::float8 * 1000 as former_secret_expires_at, ${STANDING_COLUMNS},
  d.*
from (select callboard.clock() as at) n
left join (
leased w
-- Lateral, because a plain join compared the epoch with every dead version.
cross join lateral (
  select x.ctid, x.head from callboard.lanes x where ${isLane('x', 'w', '>= w.epoch - 1')} order by x.epoch limit 1
) seen
join callboard.subscriptions s on s.account_id = w.account_id and s.mode = w.mode and s.id = w.subscription_id
${JOIN_CONFIRMING_KEY}
cross join lateral (
  with due as materialized (
    select r.event_id, r.attempts, r.suspect, r.redacted, r.due_at, r.subject from callboard.retries r
    where ${sameLane('r', 'w')} and r.due_at <= callboard.clock() and seen.ctid = w.version
    order by r.due_at limit (w.room + 1) / 2
  ),
  fresh as (
    select f.event_id, f.position from ${shareOf('s')} t
    cross join lateral (
      select x.event_id, x.position from callboard.feed x
      where x.account_id = w.account_id and x.mode = w.mode and x.type = t.type
        and x.position > greatest(w.cursor, t.after) and x.position <= t.through
        and (s.ordering = 'none' or seen.ctid = w.version)
      order by x.position limit w.room
    ) f
    order by f.position limit w.room - (select count(*) from due)
  ),
  next as (
    select event_id, null::bigint as position, attempts, suspect, redacted, due_at, subject, 0 as kind from due
    union all
    select event_id, position, 0::smallint, false, false, null, null, 1 from fresh
    order by kind, due_at, position
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
) d
) on true`,
}
