import type { Pool } from 'pg'

/** How many bytes were written between two positions of the write-ahead log. */
export interface Wal {
  readonly bytes: number
  /**
   * How many of these bytes are full-page images. After a checkpoint, Postgres writes one for the first change of each
   * page.
   */
  readonly pageImages: number
}

/** The current position of the log. */
export async function walPosition(pool: Pool): Promise<string> {
  const { rows } = await pool.query('select pg_current_wal_insert_lsn()::text as lsn')
  return rows[0].lsn
}

export async function walBetween(pool: Pool, from: string, to: string): Promise<Wal> {
  const { rows } = await pool.query(
    'select sum(combined_size)::float8 as bytes, sum(fpi_size)::float8 as images from pg_get_wal_stats($1, $2)',
    [from, to],
  )
  return { bytes: rows[0].bytes, pageImages: rows[0].images }
}

/** For each table and index, the bytes of its records in the log, without full-page images; largest first. */
export async function walByRelation(pool: Pool, from: string, to: string): Promise<readonly [string, number][]> {
  const { rows } = await pool.query(
    `select coalesce(c.relname, 'others') as name,
       sum(w.record_length - coalesce(w.block_fpi_length, 0))::float8 as bytes
     from pg_get_wal_block_info($1, $2) w left join pg_class c on c.relfilenode = w.relfilenode
     where w.block_id = 0 group by 1 order by 2 desc`,
    [from, to],
  )
  return rows.map(({ name, bytes }) => [name, bytes])
}
