import type { Statement } from './statement.ts'

export interface PublishRow {
  /** Place in the input, from 1. */
  n: number
  outcome: 'stored' | 'known' | 'conflict' | 'account_unknown' | 'not_stored' | 'raced'
  id: string
  type: string
  occurred: number
  /** Type and id, as JSON. */
  subject: string
  sequence: number
}

/**
 * Events, their places in the outbox and their subjects' counters in one statement, for what `publish-event` does not store: what
 * may be there already, and what is refused. Counters are taken in key order, and only for events that are new. `raced` is an
 * event that another transaction stored under the same id or key between this statement's snapshot and its insert:
 * `on conflict do nothing` keeps the caller's transaction usable, and its counter is given back by `return-sequence`. The channel
 * $19 is notified, unless it is null. Its columns are single words: the caller's client may write others in camel case.
 */
export const publish: Statement<PublishRow> = {
  name: 'publish',
  text: `
with input as materialized (
  select * from unnest($1::text[], $2::text[], $3::uuid[], $4::text[], $5::timestamptz[], $6::text[], $7::text[], $8::bigint[], $9::text[],
    $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::boolean[], $18::text[]) with ordinality
    as t(account_id, mode, id, type, occurred_at, subject_type, subject_id, sequence, idempotency_key,
      digests, head, middle, tail, patch, fingerprint, person_id, own_id, trace, n)
),
found as materialized (
  select i.n, i.digests, e.id, e.type, e.occurred_at, e.subject_type, e.subject_id, e.sequence, e.digest, false as by_key
  from input i join callboard.events e on e.account_id = i.account_id and e.mode = i.mode and e.id = i.id
  where i.own_id
  union all
  select i.n, i.digests, e.id, e.type, e.occurred_at, e.subject_type, e.subject_id, e.sequence, e.digest, true
  from input i join callboard.events e on e.account_id = i.account_id and e.mode = i.mode and e.idempotency_key = i.idempotency_key
  where i.idempotency_key is not null
),
known as materialized (
  -- One row a draft: its id and its key may have been found both, even at two events.
  select distinct on (n) n, id, type, occurred_at, subject_type, subject_id, sequence, bool_or(conflicts) over (partition by n) as conflict
  from (
    select *, digest is not null and digest <> all (string_to_array(digests, ' '))
      and split_part(digest, '.', 1) in (select split_part(d, '.', 1) from unnest(string_to_array(digests, ' ')) d) as conflicts
    from found
  ) f
  order by n, by_key
),
named as materialized (
  select i.*, a.name from input i left join callboard.accounts a on a.id = i.account_id and a.deleted_at is null
),
fresh as materialized (
  select * from named i
  where not exists (select from known k where k.n = i.n)
    and not exists (select from known k where k.conflict)
    and not exists (select from named x where x.name is null)
),
counters as (
  insert into callboard.subjects as s (account_id, mode, type, id, last)
  select account_id, mode, subject_type, subject_id, count(*) from fresh where sequence is null group by 1, 2, 3, 4
  order by account_id collate "C", mode collate "C", subject_type collate "C", subject_id collate "C"
  on conflict (account_id, mode, type, id) do update set last = s.last + excluded.last
  returning account_id, mode, type, id, last
),
numbered as materialized (
  select f.*, coalesce(f.sequence, c.last - f.taken + f.rank) as number
  from (
    select *, count(*) over subject as taken, row_number() over (subject order by n) as rank
    from fresh window subject as (partition by account_id, mode, subject_type, subject_id, sequence is null)
  ) f
  left join counters c on c.account_id = f.account_id and c.mode = f.mode and c.type = f.subject_type and c.id = f.subject_id
),
stored as (
  insert into callboard.events (account_id, mode, id, type, occurred_at, subject_type, subject_id, sequence,
    idempotency_key, digest, body, patch, fingerprint, person_id, trace)
  select account_id, mode, id, type, occurred_at, subject_type, subject_id, number,
    idempotency_key, nullif(split_part(digests, ' ', 1), ''), head || to_json(name)::text || middle || number || tail, patch, fingerprint, person_id, trace
  from numbered order by n
  on conflict do nothing
  returning account_id, mode, id, type
),
queued as (
  insert into callboard.outbox (event_id, account_id, mode, type) select id, account_id, mode, type from stored
)
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
  case when i.n = 1 and $19::text is not null then pg_notify($19, '')::text end as told
from named i
left join known k on k.n = i.n
left join numbered d on d.n = i.n
left join stored s on s.account_id = i.account_id and s.mode = i.mode and s.id = i.id
order by i.n`,
}
