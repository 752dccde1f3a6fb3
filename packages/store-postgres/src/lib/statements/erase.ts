import { ERASED_FINGERPRINT } from '@callboard/core'
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

/** Locked in key order, each only if it is as it was read. */
export const eraseEvents: Statement<{ account_id: string; mode: 'live' | 'test'; id: string }> = {
  name: 'erase-events',
  text: `
with input as materialized (
  select * from unnest($1::text[], $2::text[], $3::uuid[], $4::text[], $5::text[]) as t(account_id, mode, id, fingerprint, body)
),
chosen as materialized (
  select e.account_id, e.mode, e.id, i.body from input i
  join callboard.events e on e.account_id = i.account_id and e.mode = i.mode and e.id = i.id and e.fingerprint = i.fingerprint
  order by e.account_id, e.mode, e.id for update of e
)
update callboard.events e set body = coalesce(c.body, e.body), patch = null, person_id = null, digest = null, fingerprint = '${ERASED_FINGERPRINT}'
from chosen c where e.account_id = c.account_id and e.mode = c.mode and e.id = c.id
returning e.account_id, e.mode, e.id::text as id`,
}

/** The log is kept by subscription: each of the account's is asked for these events, those removed too. */
export const forgetResponses: Statement<{ n: number }> = {
  name: 'forget-responses',
  text: `
with input as materialized (
  select account_id, mode, array_agg(event_id) as events from unnest($1::text[], $2::text[], $3::uuid[]) as t(account_id, mode, event_id) group by 1, 2
),
kept as materialized (
  select a.account_id, a.mode, a.subscription_id, a.id from input i
  join callboard.subscriptions s on s.account_id = i.account_id and s.mode = i.mode
  cross join lateral (
    select x.account_id, x.mode, x.subscription_id, x.id from callboard.attempts x
    where x.account_id = s.account_id and x.mode = s.mode and x.subscription_id = s.id and x.event_id = any (i.events) and x.response is not null
  ) a
  order by 1, 2, 3, 4
),
forgotten as (
  update callboard.attempts a set response = null from kept k
  where a.account_id = k.account_id and a.mode = k.mode and a.subscription_id = k.subscription_id and a.id = k.id and a.response is not null
  returning 1
)
select count(*)::int as n from forgotten`,
}
