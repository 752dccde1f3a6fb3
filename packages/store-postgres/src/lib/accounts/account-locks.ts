import type { Statement } from '../sql/statement.ts'

/**
 * SQL that lets only one transaction at a time create subscriptions of an account, or give one another identity. So the
 * transaction counts all of them against the limits, and finds the one with the same identity if there is one. The lock
 * is for both modes, because the new subscriptions of both are counted together. It ends with the transaction, as a
 * pooler in transaction mode requires. `accountId` is SQL for the account's id.
 */
export function subscriptionsLock(accountId: string): string {
  return `pg_advisory_xact_lock(hashtextextended('callboard.subscriptions ' || ${accountId}, 0))`
}

export const lockCreates: Statement<unknown, { accountId: string }> = {
  name: 'lock-creates',
  text: `select ${subscriptionsLock(':accountId::text')}`,
}

/** Lets only one transaction at a time issue keys of an account, so that the count against the limit is exact. */
export const lockIssues: Statement<unknown, { accountId: string }> = {
  name: 'lock-issues',
  text: `select pg_advisory_xact_lock(hashtextextended('callboard keys ' || :accountId::text, 0))`,
}
