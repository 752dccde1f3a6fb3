import type { Statement } from '../statement.ts'
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscription-row.ts'

/** The calling key becomes the confirming one. */
export const confirmSubscription: Statement<SubscriptionRow> = {
  name: 'confirm-subscription',
  text: `
update callboard.subscriptions set confirmed_by = $4::uuid, changed_at = callboard.clock()
where account_id = $1 and mode = $2 and id = $3::uuid returning ${SUBSCRIPTION_COLUMNS}`,
}

/** After {@link lockLane}: an event that a settle lets wait is seen by this, or that settle sees the order that this sets. */
export const setOrdering: Statement<{ id: string }> = {
  name: 'set-ordering',
  text: `
with changed as (
  update callboard.subscriptions set ordering = $4, changed_at = callboard.clock()
  where account_id = $1 and mode = $2 and id = $3::uuid and state <> 'removed' returning id
),
freed as (
  update callboard.retries set due_at = callboard.clock()
  where $4 = 'none' and account_id = $1 and mode = $2 and subscription_id = $3::uuid and due_at is null returning 1
),
woken as (
  update callboard.lanes l set nudged = l.nudged or l.state = 'leased', wake_at = case when l.state = 'idle' then callboard.clock() else l.wake_at end
  where l.account_id = $1 and l.mode = $2 and l.subscription_id = $3::uuid and exists (select from freed)
)
select id::text as id from changed`,
}

export const rotateSecret: Statement<{ id: string }> = {
  name: 'rotate-secret',
  text: `
update callboard.subscriptions set former_secret = secret, former_secret_expires_at = callboard.clock() + $5::float8 * interval '1 ms', secret = $4, changed_at = callboard.clock()
where account_id = $1 and mode = $2 and id = $3::uuid and state <> 'removed' returning id::text as id`,
}
