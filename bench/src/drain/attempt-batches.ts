import { Pool } from 'pg'
import type { Attempt } from './attempt-log.ts'

export interface AttemptBatches {
  /** Returns before the attempt's row is written, so a crash can lose the attempt. */
  record(attempt: Attempt): void
  /** Resolves once everything is written. */
  close(): Promise<void>
}

/**
 * The cheapest way to log attempts in Postgres, in the table that the rivals use. One insert runs at a time; it writes
 * all attempts that were recorded while the previous insert ran. What Callboard's worker costs beyond this is the price
 * of losing no delivery.
 */
export function openAttemptBatches(postgres: string): AttemptBatches {
  const pool = new Pool({ connectionString: postgres, max: 1 })
  let waiting: Attempt[] = []
  let writing: Promise<void> | undefined

  const write = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      await pool.query({
        name: 'attempts',
        text: `
          insert into attempt (id, url, status, duration_ms, answer)
          select * from unnest($1::text[], $2::text[], $3::smallint[], $4::int[], $5::text[])`,
        values: [
          batch.map(({ id }) => id),
          batch.map(({ url }) => url),
          batch.map(({ status }) => status),
          batch.map(({ durationMs }) => Math.round(durationMs)),
          batch.map(({ answer }) => answer),
        ],
      })
    }
    writing = undefined
  }

  return {
    record(attempt) {
      waiting.push(attempt)
      writing ??= write()
    },
    async close() {
      await writing
      await pool.end()
    },
  }
}
