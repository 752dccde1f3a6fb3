import { Pool } from 'pg'

export interface Attempt {
  readonly id: string
  readonly url: string
  readonly status: number
  readonly durationMs: number
  readonly answer: string
}

/**
 * Creates the log of attempts that a platform would keep itself: one row per attempt, and one index besides the primary
 * key.
 */
export async function createAttempts(pool: Pool): Promise<void> {
  await pool.query(`
    drop table if exists attempt;
    create table attempt (
      number bigint generated always as identity primary key,
      id text not null,
      url text not null,
      status smallint not null,
      duration_ms int not null,
      answer text not null,
      at timestamptz not null default now()
    );
    create index on attempt (id)`)
}

/** Inserts attempts one by one, because no rival offers a way to batch them. */
export function openAttempts(postgres: string): (attempt: Attempt) => Promise<void> {
  const pool = new Pool({ connectionString: postgres, max: 20 })
  return async ({ id, url, status, durationMs, answer }) => {
    await pool.query({
      name: 'attempt',
      text: 'insert into attempt (id, url, status, duration_ms, answer) values ($1, $2, $3, $4, $5)',
      values: [id, url, status, durationMs, answer],
    })
  }
}
