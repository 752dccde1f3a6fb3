import { ERASED_FINGERPRINT } from '@callboard/core/store'
import { eventByKey } from './event-by-key.ts'
import type { Statement } from './statement.ts'

export interface ErasableRow {
  account_id: string
  mode: 'live' | 'test'
  id: string
  type: string
  body: string
  fingerprint: string
}

/** By the index of persons, which an erased event leaves. */
export const eventsOfPerson: Statement<ErasableRow> = {
  name: 'events-of-person',
  text: `
select account_id, mode, id::text as id, type, body, fingerprint from callboard.events
where account_id = $1 and mode = $2 and person_id = $3 limit $4::int`,
}

/** A body is read only of those that are to be erased. */
export type WalkedRow = { [column in keyof ErasableRow]: ErasableRow[column] | (column extends 'body' ? null : never) }

const walk = (account: string): string => `
select account_id, mode, id::text as id, type, fingerprint,
  case when published_at < $4::timestamptz and fingerprint <> '${ERASED_FINGERPRINT}' and (patch is not null or person_id is not null
    or not exists (select from unnest($5::text[], $6::text[]) c(type, fingerprint) where c.type = e.type and c.fingerprint = e.fingerprint)) then body end as body
from callboard.events e
where (e.account_id, e.mode, e.id) > ($1, $2, $3::uuid) ${account}
order by e.account_id, e.mode, e.id limit $7::int`

export const walkEvents: Statement<WalkedRow> = { name: 'walk-events', text: walk('') }

export const walkEventsOfAccount: Statement<WalkedRow> = {
  name: 'walk-events-of-account',
  text: walk('and e.account_id = $8'),
}

/** Only if it is as it was read. One by one, by key: a join may be planned as a scan of all events. */
export const eraseEvent: Statement<{ id: string }> = {
  name: 'erase-event',
  text: `
update callboard.events set body = coalesce($5, body), patch = null, person_id = null, digest = null, fingerprint = '${ERASED_FINGERPRINT}'
where ctid = (select e.place from ${eventByKey('$1::text', '$2::text', '$3::uuid')} e) and fingerprint = $4 returning id::text as id`,
}

/** The log is kept by subscription: each of the account's is asked for these events, those removed too. */
export const forgetResponses: Statement<{ n: number }> = {
  name: 'forget-responses',
  text: `
with input as materialized (
  select * from unnest($1::text[], $2::text[], $3::uuid[]) as t(account_id, mode, event_id)
),
kept as materialized (
  select a.at from (select distinct account_id, mode from input) o
  join callboard.subscriptions s on s.account_id = o.account_id and s.mode = o.mode
  join input i on i.account_id = o.account_id and i.mode = o.mode
  cross join lateral (
    select x.ctid as at from callboard.attempts x
    where x.account_id = s.account_id and x.mode = s.mode and x.subscription_id = s.id and x.event_id = i.event_id and x.response is not null
    offset 0
  ) a
),
forgotten as (
  update callboard.attempts set response = null where ctid = any (array(select at from kept)) returning 1
)
select count(*)::int as n from forgotten`,
}
