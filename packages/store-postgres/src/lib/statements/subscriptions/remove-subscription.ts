import type { Statement } from '../statement.ts'

/**
 * After {@link lockLane}. Its lane goes with it, so a lease that is still held is fenced out, and so do its retries. What was
 * tried stays in the log.
 */
export const removeSubscription: Statement<{ outcome: 'removed' | 'already' | 'unknown' }> = {
  name: 'remove-subscription',
  text: `
with changed as (
  update callboard.subscriptions s set state = 'removed', changed_at = callboard.clock()
  where s.account_id = $1 and s.mode = $2 and s.id = $3::uuid and s.source = any ($4::text[]) and s.state <> 'removed'
  returning s.account_id, s.mode, s.id, s.event_types
),
unmatched as (
  delete from callboard.subscription_types t using changed c
  where t.account_id = c.account_id and t.mode = c.mode and t.type = any (c.event_types) and t.subscription_id = c.id
),
stopped as (
  delete from callboard.lanes l using changed c where l.account_id = c.account_id and l.mode = c.mode and l.subscription_id = c.id
),
untried as (
  delete from callboard.retries r using changed c where r.account_id = c.account_id and r.mode = c.mode and r.subscription_id = c.id
)
select case
  when exists (select from changed) then 'removed'
  when exists (select from callboard.subscriptions s where s.account_id = $1 and s.mode = $2 and s.id = $3::uuid and s.source = any ($4::text[])) then 'already'
  else 'unknown' end as outcome`,
}
