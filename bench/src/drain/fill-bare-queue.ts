import { withClient } from '../rivals/postgres-client.ts'

/** Creates the tables of the bare queue, with a lane for each URL and `jobs` jobs of 1 KB in turn for the lanes. */
export async function fillBareQueue(postgres: string, urls: readonly string[], jobs: number): Promise<void> {
  await withClient(postgres, async (client) => {
    await client.query(`
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
    await client.query(
      `insert into queue_lane (id, url, head) select n - 1, url, $2 from unnest($1::text[]) with ordinality u (url, n)`,
      [urls, jobs],
    )
    await client.query(
      `insert into queue_job select (n - 1) % $1::int, n, repeat('x', 1024) from generate_series(1, $2::int) n`,
      [urls.length, jobs],
    )
    await client.query(`
      update queue_lane l set head = (select max(position) from queue_job where lane = l.id)`)
    await client.query('vacuum analyze queue_lane, queue_job')
  })
}
