import { rowsOf } from '../sql/rows-of.ts'
import type { Statement } from '../sql/statement.ts'
import type { DraftRow } from './draft-row.ts'
import { storeFresh } from './store-events.ts'

export interface PublishRow {
  /** Place in the input, from 1. */
  n: number
  /**
   * `raced`: after this statement's snapshot, another transaction stored an event under the same id or idempotency key.
   * This transaction stays usable, and `return-sequence` gives the unused sequence back to the counter.
   */
  outcome: 'stored' | 'known' | 'conflict' | 'account_unknown' | 'not_stored' | 'raced'
  id: string
  type: string
  occurred: number
  /** Type and id, as JSON. */
  subject: string
  sequence: number
}

export interface PublishParameters {
  readonly drafts: readonly DraftRow[]
  /** The channel to notify; null for none. */
  readonly channel: string | null
  /** Whether the drafts must be stored in a transaction of the caller's. */
  readonly within: boolean
}

const DRAFTS = rowsOf<DraftRow>('drafts', {
  account_id: 'text',
  mode: 'text',
  id: 'uuid',
  type: 'text',
  occurred_at: 'timestamptz',
  subject_type: 'text',
  subject_id: 'text',
  sequence: 'bigint',
  idempotency_key: 'text',
  digests: 'text',
  head: 'text',
  middle: 'text',
  tail: 'text',
  patch: 'text',
  fingerprint: 'text',
  person_id: 'text',
  own_id: 'boolean',
  trace: 'text',
})

const FOUND = 'i.n, i.digests, e.id, e.type, e.occurred_at, e.subject_type, e.subject_id, e.sequence, e.digest'

/**
 * Stores drafts that may exist already or may be refused, which `publish-event` does not store. If one draft conflicts
 * or has an unknown account, none is stored. Returns no row and stores nothing if the drafts must be stored in a
 * transaction and none is proven yet. Every CTE that writes reads `input`, so that is decided first. Names of result
 * columns are single words, because the caller's client may turn longer names into camel case.
 */
export const publish: Statement<PublishRow, PublishParameters> = {
  name: 'publish',
  text: `
with input as materialized (
  select *, split_part(digests, ' ', 1) as digest from ${DRAFTS}
  where (select case when :within::boolean then callboard.in_transaction() else true end)
),
found as materialized (
  select ${FOUND}, false as by_key
  from input i join callboard.events e on e.account_id = i.account_id and e.mode = i.mode and e.id = i.id
  where i.own_id
  union all
  select ${FOUND}, true
  from input i join callboard.events e
    on e.account_id = i.account_id and e.mode = i.mode and e.idempotency_key = i.idempotency_key
  where i.idempotency_key is not null
),
-- A stored digest conflicts if the draft has another digest that was made with the same secret key.
compared as (
  select *, digest is not null and digest <> all (string_to_array(digests, ' '))
    and split_part(digest, '.', 1) in (
      select split_part(d, '.', 1) from unnest(string_to_array(digests, ' ')) d
    ) as conflicts
  from found
),
-- One row for each draft that matches a stored event. A draft may match one event by its id and another by its
-- idempotency key; the row then has the event with the same id.
known as materialized (
  select distinct on (n) n, id, type, occurred_at, subject_type, subject_id, sequence,
    bool_or(conflicts) over (partition by n) as conflict
  from compared
  order by n, by_key
),
named as materialized (
  select i.*, to_json(a.name)::text as name
  from input i left join callboard.accounts a on a.id = i.account_id and a.deleted_at is null
),
fresh as materialized (
  select * from named i
  where not exists (select from known k where k.n = i.n)
    and not exists (select from known k where k.conflict)
    and not exists (select from named x where x.name is null)
),
${storeFresh('on conflict do nothing').trim()}
select i.n::int as n,
  case
    when k.n is not null then case when k.conflict then 'conflict' else 'known' end
    when i.name is null then 'account_unknown'
    when d.n is null then 'not_stored'
    when s.id is null then 'raced'
    else 'stored'
  end as outcome,
  coalesce(k.id, i.id)::text as id, coalesce(k.type, i.type) as type,
  extract(epoch from coalesce(k.occurred_at, i.occurred_at))::float8 * 1000 as occurred,
  json_build_array(coalesce(k.subject_type, i.subject_type), coalesce(k.subject_id, i.subject_id))::text as subject,
  coalesce(k.sequence, d.number)::float8 as sequence,
  case when i.n = 1 and :channel::text is not null then pg_notify(:channel, '')::text end as notified
from named i
left join known k on k.n = i.n
left join numbered d on d.n = i.n
left join stored s on s.account_id = i.account_id and s.mode = i.mode and s.id = i.id
order by i.n`,
}
