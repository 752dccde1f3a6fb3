import type { AuditEntry, Mode } from '@callboard/core'
import { rowByKey } from '../sql/row-by-key.ts'
import { PAGE, type Statement } from '../sql/statement.ts'

export interface AuditRow {
  number: string
  at: number
  actor: AuditEntry['actor']['type']
  actor_id: string | null
  action: AuditEntry['action']
  account_id: string | null
  mode: Mode | null
  object_id: string | null
  /** As in `SubscriptionRow`; null as well once the subscription's row is removed. */
  own_id: string | null
  details: string
}

export interface ListEntriesParameters {
  readonly accountId: string | null
  readonly mode: string | null
  readonly objectId: string | null
  readonly before: number | null
  readonly limit: number
}

const COLUMNS = `
  number::text as number, extract(epoch from at)::float8 * 1000 as at, actor, actor_id, action, account_id, mode,
  object_id::text as object_id, details::text as details,
  (select s.own_id from ${rowByKey('subscriptions', { id: 'e.object_id' })} s) as own_id`

const BEFORE = 'coalesce(:before::bigint, 9223372036854775807)'

const list = (name: string, entries: string): Statement<AuditRow, ListEntriesParameters> => ({
  ...PAGE,
  name,
  text: `
select${COLUMNS}
from ${entries} e
order by e.number desc limit :limit::int`,
})

/**
 * One statement for each index, because the planner does not know which parameters are null. Each compares the whole
 * key of its index: with an equality, the planner walks the primary key back through the entries of all accounts.
 *
 * An account's entries are read mode by mode, because otherwise a page of one mode reads past all entries of the other.
 */
export const listEntries: {
  readonly all: Statement<AuditRow, ListEntriesParameters>
  readonly byAccount: Statement<AuditRow, ListEntriesParameters>
  readonly byObject: Statement<AuditRow, ListEntriesParameters>
} = {
  all: list('list-entries', `(select x.* from callboard.audit_entries x where x.number < ${BEFORE})`),
  byAccount: list(
    'list-entries-by-account',
    `(
  select x.* from (values (''), ('live'), ('test')) m(mode)
  cross join lateral (
    select x.* from callboard.audit_entries x
    where (x.account_id, coalesce(x.mode, ''), x.number) < (:accountId::text, m.mode, ${BEFORE})
    order by x.account_id desc, coalesce(x.mode, '') desc, x.number desc limit :limit::int
  ) x
  where x.account_id = :accountId and coalesce(x.mode, '') = m.mode
    and (:mode::text is null or m.mode in ('', :mode))
)`,
  ),
  byObject: list(
    'list-entries-by-object-id',
    `(
  select x.* from (
    select x.* from callboard.audit_entries x
    where x.object_id is not null and (x.object_id, x.number) < (:objectId::uuid, ${BEFORE})
    order by x.object_id desc, x.number desc limit :limit::int
  ) x
  where x.object_id = :objectId::uuid and (:accountId::text is null or x.account_id = :accountId)
    and (:mode::text is null or coalesce(x.mode, :mode) = :mode)
)`,
  ),
}
