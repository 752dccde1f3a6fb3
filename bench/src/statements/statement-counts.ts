import type { Pool } from 'pg'

export type Step = 'publish' | 'place' | 'lease' | 'settle' | 'other'

export interface StepCount {
  readonly calls: number
  /** Bytes of write-ahead log, without the commit's own record. */
  readonly walBytes: number
}

/** What each step's statements say and no other's do. */
const SAYS: readonly [Exclude<Step, 'other'>, RegExp][] = [
  ['publish', /callboard\.publish_event|insert into callboard\.events/],
  ['lease', /with awake as/],
  ['settle', /insert into callboard\.attempts/],
  ['place', /outbox|sequencers|begin|commit|set local/],
]

/** What the server has counted since it was last asked, its own and that of `work` excluded. */
export async function countStatements(pool: Pool, work: () => Promise<void>): Promise<Record<Step, StepCount>> {
  await pool.query('select pg_stat_statements_reset()')
  await work()
  const { rows } = await pool.query(
    `select query, calls::float8 as calls, wal_bytes::float8 as wal_bytes from pg_stat_statements where query !~ 'pg_stat_statements'`,
  )
  const counts: Record<Step, StepCount> = { publish: NONE, place: NONE, lease: NONE, settle: NONE, other: NONE }
  for (const { query, calls, wal_bytes } of rows) {
    const step = SAYS.find(([, says]) => says.test(query))?.[0] ?? 'other'
    counts[step] = { calls: counts[step].calls + calls, walBytes: counts[step].walBytes + wal_bytes }
  }
  return counts
}

const NONE: StepCount = { calls: 0, walBytes: 0 }
