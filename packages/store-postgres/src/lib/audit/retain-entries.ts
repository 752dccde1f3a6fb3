import type { Statement } from '../sql/statement.ts'

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
