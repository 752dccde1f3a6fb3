import type { Pool } from 'pg'

/**
 * Creates `events` copies of one of the account's events, as if they had been published and sequenced. No copy has been
 * delivered yet to the account's only subscription.
 */
export async function fillBacklog(pool: Pool, account: string, events: number): Promise<void> {
  await pool.query(
    `insert into callboard.events
       (account_id, mode, id, type, occurred_at, published_at, subject_type, subject_id, sequence, body, fingerprint)
     select e.account_id, e.mode, gen_random_uuid(), e.type, e.occurred_at, e.published_at,
       e.subject_type, e.subject_id, e.sequence + n, e.body, e.fingerprint
     from (select * from callboard.events where account_id = $1 limit 1) e, generate_series(1, $2::int) n`,
    [account, events],
  )
  await pool.query(
    `insert into callboard.feed (account_id, mode, position, type, event_id)
     select e.account_id, e.mode, s.position + row_number() over (), e.type, e.id
     from callboard.events e, callboard.sequencer s
     where e.account_id = $1
       and not exists (select from callboard.feed f where f.account_id = $1 and f.event_id = e.id)`,
    [account],
  )
  await pool.query(`update callboard.sequencer set position = (select max(position) from callboard.feed)`)
  await pool.query(
    `update callboard.lanes
     set head = (select position from callboard.sequencer),
       wake_at = case when state = 'idle' then callboard.clock() else wake_at end
     where account_id = $1`,
    [account],
  )
  await pool.query('vacuum analyze')
  await pool.query('checkpoint')
}

/** Size in bytes of all tables except those of the events, the feed and the subject counters. */
export async function sizeBesideEvents(pool: Pool): Promise<number> {
  await pool.query('vacuum callboard.outbox, callboard.lanes, callboard.sequencer')
  const { rows } = await pool.query<{ bytes: number }>(
    `select sum(pg_total_relation_size(relid))::float8 as bytes from pg_stat_user_tables
     where schemaname = 'callboard' and relname not in ('events', 'feed', 'subjects')`,
  )
  return rows[0]?.bytes ?? Number.NaN
}
