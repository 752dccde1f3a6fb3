import { ERASED_FINGERPRINT } from '@callboard/core/store'
import { eventByKey } from '../fragments/event-by-key.ts'
import { rowsOf } from './rows-of.ts'
import type { OwnerParameters, Statement } from './statement.ts'

export interface ErasableRow {
  account_id: string
  mode: 'live' | 'test'
  id: string
  type: string
  body: string
  fingerprint: string
}

/** Reads the index `events_person`, which contains no erased events. */
export const eventsOfPerson: Statement<ErasableRow, OwnerParameters & { personId: string; limit: number }> = {
  name: 'events-of-person',
  text: `
select account_id, mode, id::text as id, type, body, fingerprint from callboard.events
where account_id = :accountId and mode = :mode and person_id = :personId limit :limit::int`,
}

/** `body` is null if the event has nothing to erase; it is then not read. */
export type WalkedRow = { [column in keyof ErasableRow]: ErasableRow[column] | (column extends 'body' ? null : never) }

/** The fingerprint of the paths that are currently declared as personal data in events of this type. */
export interface PresentPaths {
  readonly type: string
  readonly fingerprint: string
}

/** `id` is a UUID. */
export interface EventKeyParameters extends OwnerParameters {
  readonly id: string
}

/** `accountId`, `mode` and `id` are those of the event after which to continue. */
export interface WalkParameters extends EventKeyParameters {
  readonly publishedBefore: string
  /** An event with a fingerprint other than its type's current one may hold personal data in its body. */
  readonly presentPaths: readonly PresentPaths[]
  readonly limit: number
}

const walk = (filter: string): string => `
select account_id, mode, id::text as id, type, fingerprint,
  case when published_at < :publishedBefore::timestamptz and fingerprint <> '${ERASED_FINGERPRINT}'
    and (patch is not null or person_id is not null or not exists (
      select from ${rowsOf<PresentPaths>('presentPaths', { type: 'text', fingerprint: 'text' })}
      where presentPaths.type = e.type and presentPaths.fingerprint = e.fingerprint
    ))
    then body
  end as body
from callboard.events e
where (e.account_id, e.mode, e.id) > (:accountId, :mode, :id::uuid) ${filter}
order by e.account_id, e.mode, e.id limit :limit::int`

export const walkEvents: Statement<WalkedRow, WalkParameters> = { name: 'walk-events', text: walk('') }

export const walkEventsOfAccount: Statement<WalkedRow, WalkParameters & { onlyAccountId: string }> = {
  name: 'walk-events-of-account',
  text: walk('and e.account_id = :onlyAccountId'),
}

/**
 * Erases an event if it has not changed since it was read. Erases only one event per call, because the planner may turn
 * a join with a list of events into a full scan.
 */
export const eraseEvent: Statement<{ id: string }, EventKeyParameters & { from: string; body: string | null }> = {
  name: 'erase-event',
  text: `
update callboard.events
set body = coalesce(:body, body), patch = null, person_id = null, digest = null, fingerprint = '${ERASED_FINGERPRINT}'
where ctid = (select e.place from ${eventByKey(':accountId::text', ':mode::text', ':id::uuid')} e)
  and fingerprint = :from
returning id::text as id`,
}

export interface ErasedEvent {
  readonly account_id: string
  readonly mode: string
  readonly event_id: string
}

/**
 * Erases the logged responses to these events. The log is kept by subscription, so the search covers every subscription
 * of the account, including removed ones.
 */
export const eraseResponses: Statement<{ n: number }, { readonly events: readonly ErasedEvent[] }> = {
  name: 'erase-responses',
  text: `
with input as materialized (
  select * from ${rowsOf<ErasedEvent>('events', { account_id: 'text', mode: 'text', event_id: 'uuid' })}
),
kept as materialized (
  select a.at from (select distinct account_id, mode from input) o
  join callboard.subscriptions s on s.account_id = o.account_id and s.mode = o.mode
  join input i on i.account_id = o.account_id and i.mode = o.mode
  cross join lateral (
    select x.ctid as at from callboard.attempts x
    where x.account_id = s.account_id and x.mode = s.mode and x.subscription_id = s.id
      and x.event_id = i.event_id and x.response is not null
    offset 0
  ) a
),
erased as (
  update callboard.attempts set response = null where ctid = any (array(select at from kept)) returning 1
)
select count(*)::int as n from erased`,
}
