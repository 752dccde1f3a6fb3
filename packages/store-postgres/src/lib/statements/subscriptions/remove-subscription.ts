import type { Statement, SubscriptionKey } from '../statement.ts'

export interface RemoveParameters extends SubscriptionKey {
  /** Only a subscription that was created through one of these sources is removed. */
  readonly sources: readonly string[]
}

/**
 * Runs after {@link lockLane}. Deletes the lane and its retries, so a worker that holds a lease on the lane can record
 * nothing more. Attempts stay in the log.
 */
export const removeSubscription: Statement<{ outcome: 'removed' | 'already' | 'unknown' }, RemoveParameters> = {
  name: 'remove-subscription',
  text: `
with changed as (
  update callboard.subscriptions s set state = 'removed', changed_at = callboard.clock()
  where s.account_id = :accountId and s.mode = :mode and s.id = :id::uuid
    and s.source = any (:sources::text[]) and s.state <> 'removed'
  returning s.account_id, s.mode, s.id, s.event_types
),
unmatched as (
  delete from callboard.subscription_types t using changed c
  where t.account_id = c.account_id and t.mode = c.mode and t.type = any (c.event_types) and t.subscription_id = c.id
),
removed_lane as (
  delete from callboard.lanes l using changed c
  where l.account_id = c.account_id and l.mode = c.mode and l.subscription_id = c.id
),
removed_retries as (
  delete from callboard.retries r using changed c
  where r.account_id = c.account_id and r.mode = c.mode and r.subscription_id = c.id
)
select case
  when exists (select from changed) then 'removed'
  when exists (
    select from callboard.subscriptions s
    where s.account_id = :accountId and s.mode = :mode and s.id = :id::uuid and s.source = any (:sources::text[])
  ) then 'already'
  else 'unknown'
end as outcome`,
}
