import type { Pool } from 'pg'

/** Creates the tables of the bare queue, with a lane for each URL and `jobs` jobs of 1 KB in turn for the lanes. */
export async function fillBareQueue(pool: Pool, urls: readonly string[], jobs: number): Promise<void> {
  await pool.query(`
      drop table if exists queue_lane, queue_job, queue_attempt;
      create table queue_lane (
        id int primary key,
        url text not null,
        cursor bigint not null default 0,
        head bigint not null,
        epoch int not null default 0,
        leased boolean not null default false
      ) with (fillfactor = 50);
      create table queue_job (lane int, position bigint, body text not null, primary key (lane, position));
      create table queue_attempt (
        lane int,
        position bigint,
        number bigint generated always as identity,
        status smallint not null,
        duration_ms int not null,
        answer text not null,
        at timestamptz not null default now(),
        primary key (lane, position, number)
      )`)
  await pool.query(
    `insert into queue_lane (id, url, head) select n - 1, url, $2 from unnest($1::text[]) with ordinality u (url, n)`,
    [urls, jobs],
  )
  await pool.query(
    `insert into queue_job select (n - 1) % $1::int, n, repeat('x', 1024) from generate_series(1, $2::int) n`,
    [urls.length, jobs],
  )
  await pool.query(`
      update queue_lane l set head = (select max(position) from queue_job where lane = l.id)`)
}
