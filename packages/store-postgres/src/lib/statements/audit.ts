import type { AuditAction, AuditActorType, Mode } from '@callboard/core'
import type { Statement } from './statement.ts'

export interface AuditRow {
  number: string
  at: number
  actor: AuditActorType
  actor_id: string | null
  action: AuditAction
  account_id: string | null
  mode: Mode | null
  object_id: string | null
  details: string
}

export interface RecordEntryParameters {
  readonly actor: string
  readonly actorId: string | null
  readonly action: string
  readonly accountId: string | null
  readonly mode: string | null
  /** A UUID. */
  readonly objectId: string | null
  /** JSON. */
  readonly details: string
}

export const recordEntry: Statement<unknown, RecordEntryParameters> = {
  name: 'record-entry',
  text: `
insert into callboard.audit_entries (actor, actor_id, action, account_id, mode, object_id, details)
values (:actor, :actorId, :action, :accountId, :mode, :objectId::uuid, :details::jsonb)`,
}

export interface ListEntriesParameters {
  readonly accountId: string | null
  readonly mode: string | null
  readonly objectId: string | null
  readonly before: number | null
  readonly limit: number
}

const listBy = (column: 'account_id' | 'object_id' | undefined): Statement<AuditRow, ListEntriesParameters> => ({
  name: `list-entries${column === undefined ? '' : `-by-${column.replace('_', '-')}`}`,
  text: `
select number::text as number, extract(epoch from at)::float8 * 1000 as at, actor, actor_id, action, account_id, mode,
  object_id::text as object_id, details::text as details
from callboard.audit_entries
where ${column === undefined ? 'true' : `${column} = ${column === 'account_id' ? ':accountId' : ':objectId::uuid'}`}
  and (:accountId::text is null or account_id = :accountId) and (:mode::text is null or coalesce(mode, :mode) = :mode)
  and (:objectId::uuid is null or object_id = :objectId::uuid)
  and number < coalesce(:before::bigint, 9223372036854775807)
order by audit_entries.number desc limit :limit::int`,
})

/** One statement for each index, because the planner does not know which parameters are null. */
export const listEntries: {
  readonly all: Statement<AuditRow, ListEntriesParameters>
  readonly byAccount: Statement<AuditRow, ListEntriesParameters>
  readonly byObject: Statement<AuditRow, ListEntriesParameters>
} = { all: listBy(undefined), byAccount: listBy('account_id'), byObject: listBy('object_id') }

/**
 * Removes old entries, beginning with the lowest number. A later entry has a higher number, unless the two were
 * recorded concurrently.
 */
export const retainEntries: Statement<{ n: number }, { horizonMs: number; limit: number }> = {
  name: 'retain-entries',
  text: `
with old as materialized (
  select number from (
    select e.number, e.at from callboard.audit_entries e order by e.number limit :limit::int
  ) oldest
  where at < callboard.clock() - :horizonMs::float8 * interval '1 ms'
),
gone as (
  delete from callboard.audit_entries where number = any (array(select number from old))
)
select count(*)::int as n from old`,
}
