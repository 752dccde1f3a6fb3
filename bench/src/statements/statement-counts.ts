import type { Pool } from 'pg'

export type Step = 'publish' | 'sequence' | 'lease' | 'settle' | 'other'

export interface StepCount {
  readonly calls: number
  /** Bytes of write-ahead log, not counting the commit's record. */
  readonly walBytes: number
  /** Milliseconds of execution, waits included. */
  readonly tookMs: number
  /** How many blocks of 8 KiB were read, from memory or from disk. */
  readonly blocks: number
}

/** For each step, a pattern that its statements match. The first pattern that matches a statement names its step. */
const SAYS: readonly [Exclude<Step, 'other'>, RegExp][] = [
  ['publish', /callboard\.publish_event|insert into callboard\.events/],
  ['lease', /i\.room, l\.epoch/],
  ['settle', /insert into callboard\.attempts/],
  ['sequence', /sequence_and_lease|outbox|sequencer|begin|commit|set local/],
]

/** Counts the statements that the server runs during `work`, by step. */
export async function countStatements(pool: Pool, work: () => Promise<void>): Promise<Record<Step, StepCount>> {
  await pool.query('select pg_stat_statements_reset()')
  await work()
  const { rows } = await pool.query(
    `select query, calls::float8 as calls, wal_bytes::float8 as wal_bytes, total_exec_time as took_ms,
       (shared_blks_hit + shared_blks_read)::float8 as blocks
     from pg_stat_statements where query !~ 'pg_stat_statements'`,
  )
  const counts: Record<Step, StepCount> = { publish: NONE, sequence: NONE, lease: NONE, settle: NONE, other: NONE }
  for (const { query, calls, wal_bytes, took_ms, blocks } of rows) {
    const step = SAYS.find(([, says]) => says.test(query))?.[0] ?? 'other'
    const known = counts[step]
    counts[step] = {
      calls: known.calls + calls,
      walBytes: known.walBytes + wal_bytes,
      tookMs: known.tookMs + took_ms,
      blocks: known.blocks + blocks,
    }
  }
  return counts
}

const NONE: StepCount = { calls: 0, walBytes: 0, tookMs: 0, blocks: 0 }
