/** The columns of an event that come from its draft. */
type DraftColumn = (typeof DRAFT_COLUMNS)[number] | 'head' | 'middle' | 'tail'

const DRAFT_COLUMNS = [
  'account_id',
  'mode',
  'id',
  'type',
  'occurred_at',
  'subject_type',
  'subject_id',
  'idempotency_key',
  'digest',
  'patch',
  'fingerprint',
  'person_id',
  'trace',
] as const

/**
 * SQL that inserts events. If the drafts come from a table, append its `from` clause. `name` is SQL for the account's
 * name as JSON, and `number` is SQL for the event's sequence within its subject.
 */
export function insertEvents(draft: (column: DraftColumn) => string, name: string, number: string): string {
  return `
  insert into callboard.events (${DRAFT_COLUMNS.join(', ')},
    sequence, body)
  select ${DRAFT_COLUMNS.map(draft).join(', ')},
    ${number}, ${draft('head')} || ${name} || ${draft('middle')} || ${number} || ${draft('tail')}`
}

/**
 * SQL for the CTEs that increment the counters, insert the events and queue them. They read a CTE `fresh`, which has a
 * row for each draft that may be stored, with the account's `name` as JSON and the draft's place `n` in the call.
 * Counters are incremented in key order, so that two transactions cannot deadlock.
 *
 * @param onConflict `on conflict do nothing` if another transaction may store the same event.
 */
export function storeFresh(onConflict: '' | 'on conflict do nothing'): string {
  return `
counters as (
  insert into callboard.subjects as s (account_id, mode, type, id, last)
  select f.account_id, f.mode, f.subject_type, f.subject_id, count(*) from fresh f where f.sequence is null
  group by f.account_id, f.mode, f.subject_type, f.subject_id
  order by f.account_id collate "C", f.mode collate "C", f.subject_type collate "C", f.subject_id collate "C"
  on conflict (account_id, mode, type, id) do update set last = s.last + excluded.last
  returning s.account_id, s.mode, s.type, s.id, s.last
),
numbered as materialized (
  select f.*, coalesce(f.sequence, c.last - f.taken + f.rank) as number
  from (
    select d.*, count(*) over subject as taken, row_number() over (subject order by d.n) as rank from fresh d
    window subject as (partition by d.account_id, d.mode, d.subject_type, d.subject_id, d.sequence is null)
  ) f
  left join counters c
    on c.account_id = f.account_id and c.mode = f.mode and c.type = f.subject_type and c.id = f.subject_id
),
stored as (${insertEvents((column) => `f.${column}`, 'f.name', 'f.number')}
  from numbered f order by f.n
  ${onConflict}
  returning account_id, mode, id, type
),
queued as (
  insert into callboard.outbox (event_id, account_id, mode, type)
  select s.id, s.account_id, s.mode, s.type from stored s
)`
}
