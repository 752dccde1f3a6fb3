import type { ApiKeyKey } from '../keys.ts'
import type { Statement, SubscriptionKey } from '../statement.ts'

/**
 * Lets only one transaction at a time create subscriptions of an account, so that the transaction counts all of them
 * against the limits, and finds the one with the same identity if there is one. The lock is for both modes, because the
 * new subscriptions of both are counted together. It ends with the transaction, as a pooler in transaction mode
 * requires.
 */
export const lockCreates: Statement<unknown, { accountId: string }> = {
  name: 'lock-creates',
  text: `select pg_advisory_xact_lock(hashtextextended('callboard subscriptions ' || :accountId::text, 0))`,
}

/** Lets only one transaction at a time issue keys of an account, so that the count against the limit is exact. */
export const lockIssues: Statement<unknown, { accountId: string }> = {
  name: 'lock-issues',
  text: `select pg_advisory_xact_lock(hashtextextended('callboard keys ' || :accountId::text, 0))`,
}

/**
 * Keeps events from being sequenced until the transaction ends. Otherwise a pass could miss a new lane, and the feed's
 * head, which is read next, could be out of date. The lock is exclusive, because overlapping shared locks could make the
 * sequencer wait forever.
 */
export const lockSequencer: Statement<unknown> = {
  name: 'lock-sequencer',
  text: `select from callboard.sequencer for update`,
}

/** Lanes are locked before subscriptions, everywhere. */
export const lockLane: Statement<{ state: 'idle' | 'leased' | 'paused' | 'disabled' }, SubscriptionKey> = {
  name: 'lock-lane',
  text: `
select state from callboard.lanes
where account_id = :accountId and mode = :mode and subscription_id = :id::uuid for update`,
}

/** Keeps a rotation from moving this key's subscriptions while another subscription is being created with the key. */
export const lockKey: Statement<{ id: string }, ApiKeyKey> = {
  name: 'lock-key',
  text: `
select id::text as id from callboard.api_keys where account_id = :accountId and id = :keyId::uuid for share`,
}
