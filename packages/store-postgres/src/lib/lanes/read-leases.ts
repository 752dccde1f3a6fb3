import { eventByKey } from '../sql/event-by-key.ts'
import type { Statement } from '../sql/statement.ts'
import { selectionsOf } from '../subscriptions/selections.ts'
import { wasBefore } from '../subscriptions/was-before.ts'
import { firstOfSubject } from './first-of-subject.ts'
import { isLane, sameLane } from './lane-key.ts'
import { LEASES, type LeaseInput } from './leases.ts'
import { JOIN_CONFIRMING_KEY, MAY_SEE_PERSONAL_DATA, STANDING_COLUMNS, type StandingRow } from './standing.ts'

/** A leased lane, however it was found. */
export interface LeasedLaneRow extends StandingRow {
  account_id: string
  mode: 'live' | 'test'
  subscription_id: string
  /** As in `SubscriptionRow`. */
  own_id: string | null
  epoch: number
  claims: number
  settled_through: number
  head: number
  breaker_failures: number
  target_url: string
  api_version: string
  secret: string
  former_secret: string | null
  former_secret_expires_at: number | null
  /** JSON; null for `['standard']`. */
  signatures: string | null
}

export interface LeaseRow extends LeasedLaneRow {
  /** The most deliveries that this row may contain. */
  room: number
  /** Whether a backfill is running. `readBackfills` reads its deliveries. */
  backfills: boolean
  /** This column and those below are text with one line per delivery, retries first; null if nothing is due. */
  ids: string | null
  /** The line is empty for a retry. */
  positions: string | null
  /**
   * For each delivery: the number of attempts so far, then letters: `s`uspect, `r`edacted, `b`ehind an earlier
   * event of its subject, `o`lder than the subscription.
   */
  flags: string | null
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

/** The separator U+001E, as in RFC 7464. No JSON text contains it. */
const BETWEEN_TEXTS = `E'\\x1e'`

function lines(value: string, between = `E'\\n'`): string {
  return `string_agg(coalesce(${value}, ''), ${between})`
}

/** SQL for the first due retries of lane `w` that meet a condition. */
const retriesDue = (filter: string, order: string): string => `
      select r.event_id, r.attempts, r.suspect, r.redacted, r.asked_at, r.due_at, r.subject from callboard.retries r
      where ${sameLane('r', 'w')} and r.${filter} and r.due_at <= callboard.clock()
      order by r.${order} limit (w.room + 1) / 2`

const FLAGS = `
      d.attempts::text
      || case when d.suspect then 's' else '' end
      || case when d.redacted then 'r' else '' end
      || case when s.ordering = 'subject' and d.position is not null
        and exists (select from ${firstOfSubject('w', 'o.subject')} f) then 'w' else '' end
      || case when d.position is not null and ${wasBefore('e', 'w')} then 'o' else '' end`

/**
 * Reads the lanes and deliveries of leases in one statement, without a lock. Each lane is one row, in which each
 * delivery is a line: a delivery then takes 15 microseconds of Postgres and 4-7 of Node. With one row per delivery, it
 * took 20-27 and 10-12.
 *
 * Runs after the leases were committed, so its snapshot shows all that earlier leases settled. If
 * the lane lost the lease meanwhile, it has no row; if it was disabled, it is not deliverable.
 */
export const readLeases: Statement<LeaseRow, { readonly leases: readonly LeaseInput[] }> = {
  name: 'read-leases',
  text: `
select w.account_id, w.mode, w.subscription_id::text as subscription_id, s.own_id,
  w.epoch::float8 as epoch, w.claims::int as claims,
  w.settled_through::float8 as settled_through, w.head::float8 as head, w.breaker_failures, w.room,
  w.backfills, s.target_url, s.api_version, s.secret,
  case when s.former_secret_expires_at > callboard.clock() then s.former_secret end as former_secret,
  extract(epoch from s.former_secret_expires_at)::float8 * 1000 as former_secret_expires_at,
  s.signatures::text as signatures, ${STANDING_COLUMNS},
  d.*
-- Reads the leased lanes one by one in the given order, which a join could change. They are sorted here, while the rows
-- have no bodies yet and sorting is cheap.
from (select * from ${LEASES} order by n) i
cross join lateral (
  select x.account_id, x.mode, x.subscription_id, x.epoch, x.claims, x.settled_through, x.head, x.breaker_failures,
    x.since, x.since_at, coalesce(x.backfill_state = 'running', false) as backfills,
    -- Deliveries that were pending when the lane was leased have ended since. Deliveries since then wait for the next
    -- lease, because this lease's failures are recorded as skipped.
    case when x.skipped_epoch = x.epoch then 0 else x.room end as room
  from callboard.lanes x
  where ${isLane('x', 'i', 'between i.epoch and i.epoch')} order by x.epoch limit 1
) w
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
    select f.event_id, f.position from ${selectionsOf('s')} t
    cross join lateral (
      select x.event_id, x.position from callboard.feed x
      where x.account_id = w.account_id and x.mode = w.mode and x.type = t.type
        and x.position > greatest(w.settled_through, t.after) and x.position <= t.through
      order by x.position limit w.room
    ) f
    -- Of the rest of the room, one place is left for a backfill, if there are two.
    order by f.position limit w.room - (select count(*) from due) - case
      when w.backfills and w.room - (select count(*) from due) > 1 then 1 else 0
    end
  ),
  next as (
    select event_id, null::bigint as position, attempts, suspect, redacted, asked_at, due_at, subject, 0 as kind
    from due
    union all
    select event_id, position, 0::smallint, false, false, null, null, null, 1 from fresh
    order by kind, asked_at, due_at, position
  )
  select ${lines('d.event_id::text')} as ids, ${lines('d.position::text')} as positions,
    ${lines(FLAGS)} as flags,
    case when s.ordering = 'subject' then ${lines('coalesce(d.subject, o.subject)')} end as subjects,
    ${lines('e.type')} as types, ${lines('e.fingerprint')} as fingerprints, ${lines('e.trace')} as traces,
    ${lines('e.body', BETWEEN_TEXTS)} as bodies,
    ${lines(`case when not d.redacted and ${MAY_SEE_PERSONAL_DATA} then e.patch end`, BETWEEN_TEXTS)} as patches
  from next d
  left join lateral ${eventByKey('w.account_id', 'w.mode', 'd.event_id')} e on true
  left join lateral (select e.subject_type || ' ' || e.subject_id as subject) o on true
) d`,
}
