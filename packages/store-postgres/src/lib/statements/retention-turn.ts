import type { Statement } from './statement.ts'

/** One that was set for a longer interval is not waited for. Nothing due writes nothing. */
export const takeRetentionTurn: Statement<{ taken: boolean }> = {
  name: 'take-retention-turn',
  text: `
update callboard.retention set next_at = callboard.clock() + $1::float8 * interval '1 ms'
where one and (next_at <= callboard.clock() or next_at > callboard.clock() + $1::float8 * interval '1 ms') returning true as taken`,
}

export interface RetentionRow {
  task: 'events' | 'logs'
  account_id: string
  mode: string
  subscription_id: string
}

/** Elects the one that does the next step; the others go without. */
export const lockRetention: Statement<RetentionRow> = {
  name: 'lock-retention',
  text: `select task, account_id, mode, subscription_id::text as subscription_id from callboard.retention where one for update skip locked`,
}

/** Where the next step goes on. */
export const moveRetention: Statement<unknown> = {
  name: 'move-retention',
  text: `update callboard.retention set account_id = $1, mode = $2, subscription_id = $3::uuid where one`,
}

/** The events are done with. Which responses the pass takes is settled here, so that all subscriptions are asked for the same. */
export const startLogs: Statement<unknown> = {
  name: 'start-retention-of-logs',
  text: `
update callboard.retention set task = 'logs', account_id = '', mode = '', subscription_id = '00000000-0000-0000-0000-000000000000',
  responses_until = callboard.clock() - $1::float8 * interval '1 ms'
where one`,
}

/** The pass has ended; the next begins with the events. */
export const endPass: Statement<unknown> = {
  name: 'end-retention-pass',
  text: `
update callboard.retention set task = 'events', account_id = '', mode = '', subscription_id = '00000000-0000-0000-0000-000000000000',
  responses_from = responses_until
where one`,
}
