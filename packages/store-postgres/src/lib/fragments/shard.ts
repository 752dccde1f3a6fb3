/**
 * SQL for an account's shard when there are `shards` shards. It depends only on the account's id, so all events of an
 * account are in one shard. Postgres cannot change this hash function, because hash-partitioned tables depend on it.
 */
function shardOf(accountId: string, shards: string): string {
  return `(hashtextextended(${accountId}, 0) & 65535) % ${shards}`
}

/** SQL that tests whether a row of `sequencers` is the shard of an account. `sequencer` is the alias of that row. */
export function isShardOf(sequencer: string, accountId: string): string {
  return `${sequencer}.shard = ${shardOf(accountId, `${sequencer}.shards`)}`
}

/**
 * SQL that tests whether row `o` of the outbox is in the shard `p_shard` of `p_shards`. It is a `case`, because the
 * planner expects a `case` to be true for half of the rows. With a plain comparison it expected hardly any, and so read
 * and sorted the whole outbox to find the first one.
 */
export const IS_OWN: string = `case ${shardOf('o.account_id', 'p_shards')} when p_shard then true end`

/**
 * PL/pgSQL with which a pass takes its shard: it locks the shard's row until the end of the transaction. If another
 * pass has taken the shard, the function returns no row. If the number of shards is no longer `p_shards`, the function
 * returns a row with the present number in `shards`.
 *
 * The number of shards cannot change while any shard's row is locked, so it stays the same until the pass ends.
 */
export const TAKE_SHARD: string = `
select q.shards into shards from callboard.sequencers q
where q.shard = p_shard and (select pg_try_advisory_xact_lock(turn)) for update;
if shards is distinct from p_shards then
  shards := coalesce(shards, (select q.shards from callboard.sequencers q order by q.shard limit 1));
  if shards <> p_shards then
    n := 0;
    return next;
  end if;
  return;
end if;`
