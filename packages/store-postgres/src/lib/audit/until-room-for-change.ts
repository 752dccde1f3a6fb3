import type { Statement } from '../sql/statement.ts'

/**
 * When the account may change something again: a minute after the change that reached the limit. No row if it may now.
 * Looks at the newest 1,000 entries of each mode, because those of the platform and of workers do not count.
 */
export const untilRoomForChange: Statement<{ ms: number }, { readonly accountId: string; readonly limit: number }> = {
  name: 'until-room-for-change',
  text: `
select extract(epoch from e.at + interval '1 minute' - callboard.clock())::float8 * 1000 as ms
from (values (''), ('live'), ('test')) m(mode)
cross join lateral (
  select x.* from callboard.audit_entries x
  where (x.account_id, coalesce(x.mode, ''), x.number) < (:accountId::text, m.mode, 9223372036854775807)
  order by x.account_id desc, coalesce(x.mode, '') desc, x.number desc limit greatest(1000, :limit::int)
) e
where e.account_id = :accountId and coalesce(e.mode, '') = m.mode
  and e.actor in ('key', 'viewer') and e.at > callboard.clock() - interval '1 minute'
order by e.number desc offset :limit::int - 1 limit 1`,
}
