import { ERASED_PREFIX } from '@callboard/core/store'
import { eventByKey } from '../sql/event-by-key.ts'
import { rowsOf } from '../sql/rows-of.ts'
import type { OwnerParameters, Statement } from '../sql/statement.ts'

/**
 * The open transactions, including prepared ones, that may have published: those that hold the lock on `events` that
 * every insert takes for the rest of its transaction. The snapshot is taken before the locks are read. So if an event
 * was inserted before the snapshot, the snapshot shows it, or its transaction is listed or has ended.
 */
export const openTransactions: Statement<{ since: string; publishing: string[] }> = {
  name: 'open-transactions',
  text: `
select pg_current_snapshot()::text as since, array(
  select distinct l.virtualtransaction from pg_locks l
  where l.locktype = 'relation' and l.mode = 'RowExclusiveLock' and l.granted
    and l.relation = 'callboard.events'::regclass
    and l.database = (select d.oid from pg_database d where d.datname = current_database())
) as publishing`,
}

export interface ErasableRow {
  account_id: string
  mode: 'live' | 'test'
  id: string
  type: string
  body: string
  fingerprint: string
  person_id: string | null
}

/** The fingerprint of one of the shapes that this type has in the catalogue. */
export interface PresentPaths {
  readonly type: string
  readonly fingerprint: string
}

const PRESENT_PATHS = rowsOf<PresentPaths>('presentPaths', { type: 'text', fingerprint: 'text' })

/**
 * SQL that tests whether the catalogue has the type of event `e`, but not the shape according to which the event was
 * erased. Such an event may still hold personal data.
 */
const ERASED_UNDER_OTHER_PATHS = `(
    e.fingerprint like '${ERASED_PREFIX}%' and exists (
      select from ${PRESENT_PATHS} where presentPaths.type = e.type
      having not bool_or('${ERASED_PREFIX}' || presentPaths.fingerprint = e.fingerprint)
    )
  )`

/** SQL that tests whether event `e` may hold personal data, in its patch, its person or its body. */
const MAY_HOLD_PERSONAL_DATA = `(
    ${ERASED_UNDER_OTHER_PATHS} or e.fingerprint not like '${ERASED_PREFIX}%' and (
      e.patch is not null or e.person_id is not null or not exists (
        select from ${PRESENT_PATHS} where presentPaths.type = e.type and presentPaths.fingerprint = e.fingerprint
      )
    )
  )`

export interface PersonParameters extends OwnerParameters {
  readonly personId: string
  readonly personDigests: readonly string[]
  readonly presentPaths: readonly PresentPaths[]
  readonly limit: number
}

/** Reads two indexes: `events_person`, which contains no erased events, and `events_erased_person`. */
export const eventsOfPerson: Statement<ErasableRow, PersonParameters> = {
  name: 'events-of-person',
  text: `
(
  select account_id, mode, id::text as id, type, body, fingerprint, person_id from callboard.events
  where account_id = :accountId and mode = :mode and person_id = :personId limit :limit::int
)
union all
(
  select account_id, mode, id::text, type, body, fingerprint, person_id from callboard.events e
  where account_id = :accountId and mode = :mode and person_digest = any (:personDigests::text[])
    and ${ERASED_UNDER_OTHER_PATHS}
  limit :limit::int
)
limit :limit::int`,
}

/**
 * `body` is null, without being read, if the event has nothing to erase, or was not published before `publishedBefore`.
 */
export type WalkedRow = { [column in keyof ErasableRow]: ErasableRow[column] | (column extends 'body' ? null : never) }

/** `id` is a UUID. */
export interface EventKeyParameters extends OwnerParameters {
  readonly id: string
}

/** The walk continues after the event with this `accountId`, `mode` and `id`. */
export interface WalkParameters extends EventKeyParameters {
  readonly publishedBefore: string
  /** The current fingerprints of each type. An event with any other fingerprint may hold personal data in its body. */
  readonly presentPaths: readonly PresentPaths[]
  readonly limit: number
}

const walk = (filter: string): string => `
select account_id, mode, id::text as id, type, fingerprint, person_id,
  case when published_at < :publishedBefore::timestamptz and ${MAY_HOLD_PERSONAL_DATA} then body end as body
from callboard.events e
where (e.account_id, e.mode, e.id) > (:accountId, :mode, :id::uuid) ${filter}
order by e.account_id, e.mode, e.id limit :limit::int`

export const walkEvents: Statement<WalkedRow, WalkParameters> = { name: 'walk-events', text: walk('') }

export const walkEventsOfAccount: Statement<WalkedRow, WalkParameters & { onlyAccountId: string }> = {
  name: 'walk-events-of-account',
  text: walk('and e.account_id = :onlyAccountId'),
}

export interface UnattributedRow {
  type: string
  /** How many events of this type were examined, and how many of them may hold personal data but name no person. */
  examined: number
  unattributed: number
  last_id: string
}

export interface UnattributedParameters extends OwnerParameters {
  readonly after: EventKeyParameters
  readonly presentPaths: readonly PresentPaths[]
  readonly limit: number
}

export const countUnattributed: Statement<UnattributedRow, UnattributedParameters> = {
  name: 'count-unattributed',
  text: `
with walked as materialized (
  select e.id, e.type, e.person_id is null and e.person_digest is null and ${MAY_HOLD_PERSONAL_DATA} as is_unattributed
  from callboard.events e
  where (e.account_id, e.mode, e.id) > (:after.accountId, :after.mode, :after.id::uuid)
    and e.account_id = :accountId and e.mode = :mode
  order by e.account_id, e.mode, e.id limit :limit::int
)
select type, count(*)::int as examined, (count(*) filter (where is_unattributed))::int as unattributed,
  max(id::text) as last_id
from walked group by type`,
}

export interface EraseParameters extends EventKeyParameters {
  readonly from: string
  readonly fingerprint: string
  readonly body: string | null
  readonly personDigest: string | null
  readonly since: string
}

/**
 * Erases an event if it has not changed since it was read. Erases only one event per call, because the planner may turn
 * a join with a list of events into a full scan.
 *
 * An event is `late` if the snapshot `since` does not show its transaction but the current snapshot does. In a database
 * restored from a dump, even the current snapshot may not show it; the event is then not `late`.
 */
export const eraseEvent: Statement<{ late: boolean }, EraseParameters> = {
  name: 'erase-event',
  text: `
update callboard.events
set body = coalesce(:body, body), patch = null, person_id = null,
  person_digest = coalesce(:personDigest, person_digest), digest = null, fingerprint = :fingerprint
where ctid = (select e.row_id from ${eventByKey(':accountId::text', ':mode::text', ':id::uuid')} e)
  and fingerprint = :from
returning not pg_visible_in_snapshot(xid, :since::pg_snapshot)
  and pg_visible_in_snapshot(xid, pg_current_snapshot()) as late`,
}

export interface ErasedRow {
  readonly account_id: string
  readonly mode: string
  readonly event_id: string
}

/**
 * Erases the logged responses to these events. The log is kept by subscription, so the search covers every subscription
 * of the account, including removed ones.
 */
export const eraseResponses: Statement<{ n: number }, { readonly events: readonly ErasedRow[] }> = {
  name: 'erase-responses',
  text: `
with input as materialized (
  select * from ${rowsOf<ErasedRow>('events', { account_id: 'text', mode: 'text', event_id: 'uuid' })}
),
kept as materialized (
  select a.row_id from (select distinct account_id, mode from input) o
  join callboard.subscriptions s on s.account_id = o.account_id and s.mode = o.mode
  join input i on i.account_id = o.account_id and i.mode = o.mode
  cross join lateral (
    select x.ctid as row_id from callboard.attempts x
    where x.account_id = s.account_id and x.mode = s.mode and x.subscription_id = s.id
      and x.event_id = i.event_id and x.response is not null
    offset 0
  ) a
),
erased as (
  update callboard.attempts set response = null where ctid = any (array(select row_id from kept)) returning 1
)
select count(*)::int as n from erased`,
}
