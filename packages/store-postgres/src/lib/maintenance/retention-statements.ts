import type { Statement, SubscriptionKey } from '../sql/statement.ts'
import { FIRST_ID } from '../sql/uuid-range.ts'

/**
 * Claims the next round of retention if it is due, or if it is more than `everyMs` away: such a round was scheduled
 * with a longer interval. Otherwise writes nothing.
 */
export const claimRetentionRound: Statement<{ claimed: boolean }, { everyMs: number }> = {
  name: 'claim-retention-round',
  text: `
update callboard.retention set next_at = callboard.clock() + :everyMs::float8 * interval '1 ms'
where one and (
  next_at <= callboard.clock() or next_at > callboard.clock() + :everyMs::float8 * interval '1 ms'
)
returning true as claimed`,
}

export interface RetentionRow {
  task: 'events' | 'logs' | 'accounts'
  account_id: string
  mode: string
  subscription_id: string
}

/** Elects the process that takes the next step; the others get no row. `retain_events` does the same. */
export const lockRetention: Statement<RetentionRow> = {
  name: 'lock-retention',
  text: `
select task, account_id, mode, subscription_id::text as subscription_id from callboard.retention
where one for update skip locked`,
}

/** Stores where the next step continues. */
export const moveRetention: Statement<unknown, SubscriptionKey> = {
  name: 'move-retention',
  text: `
update callboard.retention set account_id = :accountId, mode = :mode, subscription_id = :id::uuid where one`,
}

/** SQL for the point where each part of a pass begins. */
export const FROM_THE_START: string = `account_id = '', mode = '', subscription_id = '${FIRST_ID}'`

/** Ends the part of a pass that removes logs. The next part removes what is left of deleted accounts. */
export const startAccounts: Statement<unknown> = {
  name: 'start-retention-of-accounts',
  text: `update callboard.retention set task = 'accounts', ${FROM_THE_START} where one`,
}

/** Ends the pass; the next one begins with the events. */
export const endPass: Statement<unknown> = {
  name: 'end-retention-pass',
  text: `
update callboard.retention set task = 'events', ${FROM_THE_START},
  responses_from = responses_until
where one`,
}
