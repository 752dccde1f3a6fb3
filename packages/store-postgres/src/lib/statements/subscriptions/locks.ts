import type { Statement } from '../statement.ts'

/**
 * Creates of one account and mode go one after the other: the count against the limit is exact, and the same subscription
 * is found rather than collided with. Released at the end of the transaction, so a pooler in transaction mode is fine.
 */
export const lockCreates: Statement<unknown> = {
  name: 'lock-creates',
  text: `select pg_advisory_xact_lock(hashtextextended('callboard subscriptions ' || $1::text || ' ' || $2::text, 0))`,
}

/**
 * Keeps the sequencer out until the transaction ends: a pass that does not see the new lane would not wake it. And the
 * position read next is not older than any pass. Not shared between creates: sharers would overlap and starve the sequencer.
 */
export const lockSequencer: Statement<{ shard: number }> = {
  name: 'lock-sequencer',
  text: `select shard::int as shard from callboard.sequencers where shard = 0 for update`,
}

/** Lanes are locked before subscriptions, everywhere. */
export const lockLane: Statement<{ state: 'idle' | 'leased' | 'paused' | 'disabled' }> = {
  name: 'lock-lane',
  text: `select state from callboard.lanes where account_id = $1 and mode = $2 and subscription_id = $3::uuid for update`,
}

/** Keeps a rotation from handing over this key's subscriptions while one more is made with it. */
export const lockKey: Statement<{ id: string }> = {
  name: 'lock-key',
  text: `select id::text as id from callboard.api_keys where account_id = $1 and id = $2::uuid for share`,
}
