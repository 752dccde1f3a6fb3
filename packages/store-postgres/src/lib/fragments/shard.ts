/**
 * SQL for the shard of an account, if there are `shards` of them. It depends on nothing but the account's id, so all
 * events of an account are in one shard, and every statement agrees on which. Postgres cannot change this hash: it
 * assigns the rows of hash-partitioned tables.
 */
function shardOf(accountId: string, shards: string): string {
  return `(hashtextextended(${accountId}, 0) & 65535) % ${shards}`
}

/** SQL that tests whether row `q` of `sequencers` is the shard of an account. */
export function isShardOf(sequencer: string, accountId: string): string {
  return `${sequencer}.shard = ${shardOf(accountId, `${sequencer}.shards`)}`
}

/**
 * SQL that tests whether row `o` of the outbox is in the shard `p_shard` of `p_shards`. The planner expects a `case` to
 * be true for half of the rows. It expected a comparison to be true for hardly any, and so read and sorted the whole
 * outbox to find the first row.
 */
export const IS_OWN: string = `case ${shardOf('o.account_id', 'p_shards')} when p_shard then true end`

/**
 * PL/pgSQL with which a pass takes its shard: it locks the shard's row until the end of the transaction. If another
 * pass has taken the shard, the function returns no row. If there are not `p_shards` shards any more, it returns a row
 * with their present number in `shards`.
 *
 * Nobody changes the number while any shard's row is locked, so it stays what it is until the pass ends.
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
