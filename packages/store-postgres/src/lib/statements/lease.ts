import { TRUSTED_CLAIMS } from '@callboard/core/store'
import { eventByKey } from './event-by-key.ts'
import { firstOfSubject } from './first-of-subject.ts'
import { laneFrom } from './lane-from.ts'
import { RAISED_EPOCH } from './raised-epoch.ts'
import { shareOf } from './share.ts'
import { joinConfirmingKey, mayHavePersonalData, type StandingRow, standingColumns } from './standing.ts'
import type { Statement } from './statement.ts'

/** Nothing was leased. */
export interface NothingLeasedRow {
  looked_at: number
  subscription_id: null
}

/** A lane that was leased, however it was found. */
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
  /** When this was asked, in milliseconds since 1970 by the database's clock. */
  looked_at: number
  /** Since when the lane has been due. */
  lane_due_at: number
  room: number
  /** A line for each of the lane's deliveries, retries before the feed, in this and all that follows; null: nothing is due. */
  ids: string | null
  /** Empty for a retry. */
  positions: string | null
  /** Tries so far, and letters: `s`uspect, `r`edacted, `b`locked (something of its subject is being retried, or waits), `o`lder. */
  marks: string | null
  /** Null where the subscription keeps no order. */
  subjects: string | null
  /** These are empty for an event that is gone. */
  types: string | null
  fingerprints: string | null
  /** Not lines: apart by a character that no JSON text has. */
  bodies: string | null
  /** As bodies; empty for an event without personal data, or where it may not be sent. */
  patches: string | null
  traces: string | null
}

/** RFC 7464: a JSON text has neither it nor any other control character but blanks. */
const BETWEEN_TEXTS = `E'\\x1e'`

function lines(value: string, between = `E'\\n'`): string {
  return `string_agg(coalesce(${value}, ''), ${between})`
}

/**
 * Leases lanes and reads their work in one statement, many lanes a visit: 25,000 deliveries/s where work is batched, 9,900/s
 * at three deliveries a visit. One row a lane, what is due in it as lines: with a row for each delivery, and its lane in each of them, one took
 * 20 to 27 µs of Postgres and 10 to 12 of Node, so 15 and 4 to 7.
 *
 * `head` is read in the statement's snapshot, not from the locked row: the lock may return a newer row, whose head
 * counts events that the snapshot's feed does not show yet, and a cursor moved there would skip them. For the same reason
 * retries are read only when the locked row is the one that the snapshot shows: a lane that was settled in between has others.
 * Where order is kept, neither is the feed then: what failed in between is not yet seen to be before it.
 *
 * Lanes are looked for from the time $8 on, leases that have run out from $9 on, and both are looked up from an epoch on: what is gone and
 * not vacuumed yet, 6,000 versions of lanes for each second that a transaction of the platform holds vacuum back at 5,000 deliveries/s, is
 * not read again and again. A lane that another one leased and settled after this statement's snapshot is left for the next look.
 */
export const lease: Statement<LeaseRow | NothingLeasedRow> = {
  name: 'lease',
  text: `
with awake as materialized (
  select account_id, mode, subscription_id, epoch, wake_at, ctid as version from callboard.lanes
  where slow = $4::boolean and state <> 'leased' and wake_at <= callboard.clock() and wake_at > to_timestamp($8::float8 / 1000) and account_id <> all ($7::text[])
  order by wake_at limit $1::int for update skip locked
),
-- Leases that have run out since the last look.
abandoned as materialized (
  select account_id, mode, subscription_id, epoch, wake_at, ctid as version from callboard.lanes
  where slow = $4::boolean and state = 'leased' and wake_at <= callboard.clock() and wake_at > to_timestamp($9::float8 / 1000) and account_id <> all ($7::text[])
  -- Counted anew where a row has changed meanwhile, it can be more than all.
  order by wake_at limit greatest($1::int - (select count(*) from awake), 0) for update skip locked
),
chosen as materialized (
  table awake union all table abandoned
),
leased as (
  update callboard.lanes l set state = 'leased', worker = $2, epoch = ${RAISED_EPOCH}, claims = least(l.claims + 1, 100), wake_at = callboard.clock() + $3::float8 * interval '1 ms'
  -- No epoch is below 0. Said so that few rows are expected, and each lane is looked up by its key: all versions of all lanes were read else.
  from chosen c where c.epoch >= 0 and ${laneFrom('l', 'c', '>= c.epoch')}
  returning c.version, c.wake_at as due_at, l.account_id, l.mode, l.subscription_id, l.epoch, l.claims, l.cursor, l.failures, l.since, l.since_at,
    case when l.claims > ${TRUSTED_CLAIMS} or l.failures >= $6::int then 1 else $5::int end as room
)
select extract(epoch from n.at)::float8 * 1000 as looked_at, w.account_id, w.mode, w.subscription_id::text as subscription_id, w.epoch::float8 as epoch, w.claims::int as claims, w.cursor::float8 as cursor, case when s.ordering = 'none' or seen.ctid = w.version then seen.head else w.cursor end::float8 as head, w.failures, w.room, extract(epoch from w.due_at)::float8 * 1000 as lane_due_at,
  s.target_url, s.secret, case when s.former_secret_expires_at > callboard.clock() then s.former_secret end as former_secret,
  extract(epoch from s.former_secret_expires_at)::float8 * 1000 as former_secret_expires_at, ${standingColumns},
  d.*
from (select callboard.clock() as at) n
left join (
leased w
-- Laterally: joined, its key was taken from the subscription, and its epoch compared with that of each version that is gone.
cross join lateral (select x.ctid, x.head from callboard.lanes x where ${laneFrom('x', 'w', '>= w.epoch - 1')} order by x.epoch limit 1) seen
join callboard.subscriptions s on s.account_id = w.account_id and s.mode = w.mode and s.id = w.subscription_id
${joinConfirmingKey}
cross join lateral (
  with due as materialized (
    select r.event_id, r.tries, r.suspect, r.redacted, r.due_at, r.subject from callboard.retries r
    where r.account_id = w.account_id and r.mode = w.mode and r.subscription_id = w.subscription_id and r.due_at <= callboard.clock()
      and seen.ctid = w.version
    order by r.due_at limit (w.room + 1) / 2
  ),
  next as (
    select event_id, null::bigint as position, tries, suspect, redacted, due_at, subject, 0 as kind from due
    union all
    (
      select f.event_id, f.position, 0::smallint, false, false, null, null, 1
      from ${shareOf('s')} t cross join lateral (
        select x.event_id, x.position from callboard.feed x
        where x.account_id = w.account_id and x.mode = w.mode and x.type = t.type and x.position > greatest(w.cursor, t.after) and x.position <= t.through
          and (s.ordering = 'none' or seen.ctid = w.version)
        order by x.position limit w.room
      ) f
      order by f.position limit w.room - (select count(*) from due)
    )
    order by kind, due_at, position
  )
  select ${lines('d.event_id::text')} as ids, ${lines('d.position::text')} as positions,
    ${lines(`d.tries::text || case when d.suspect then 's' else '' end || case when d.redacted then 'r' else '' end
      || case when s.ordering = 'subject' and d.position is not null and exists (select from ${firstOfSubject('w', 'o.subject')} f) then 'b' else '' end
      || case when d.position is not null and e.published_at <= w.since_at and pg_visible_in_snapshot(e.xid, w.since) then 'o' else '' end`)} as marks,
    case when s.ordering = 'subject' then ${lines('coalesce(d.subject, o.subject)')} end as subjects,
    ${lines('e.type')} as types, ${lines('e.fingerprint')} as fingerprints, ${lines('e.trace')} as traces,
    ${lines('e.body', BETWEEN_TEXTS)} as bodies, ${lines(`case when not d.redacted and ${mayHavePersonalData} then e.patch end`, BETWEEN_TEXTS)} as patches
  from next d
  left join lateral ${eventByKey('w.account_id', 'w.mode', 'd.event_id')} e on true
  left join lateral (select e.subject_type || ' ' || e.subject_id as subject) o on true
) d
) on true`,
}
