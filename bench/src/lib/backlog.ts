import { engineOf } from '@callboard/core/engine'
import { type BenchCallboard, noteEvent } from './bench-callboard.ts'

const AT_ONCE = 500

/** Publishes and commits `count` events of 1 KB. The `n`th event is of the account `account(n)`. */
export async function publishNotes(
  { callboard }: BenchCallboard,
  count: number,
  account: (n: number) => string,
): Promise<void> {
  for (let from = 0; from < count; from += AT_ONCE)
    await callboard.publishMany(
      Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, i) => noteEvent(account(from + i), from + i)),
    )
}

/** Sequences all published events: gives each its position in the feed, as a worker does. */
export async function sequenceAll({ callboard }: BenchCallboard): Promise<void> {
  const { deliveries } = engineOf(callboard).store
  while ((await deliveries.sequence(AT_ONCE)).sequenced > 0);
}

/** Throws unless `from`, a table with or without a condition, has `expected` rows. */
export async function assertCount({ pool }: BenchCallboard, from: string, expected: number): Promise<void> {
  const { rows } = await pool.query(`select count(*)::int as n from ${from}`)
  if (rows[0]?.n !== expected) throw new Error(`${rows[0]?.n} instead of ${expected} rows: ${from}`)
}

/** Throws unless the log has one row for each delivery. A worker records all its attempts before it stops. */
export function assertDelivered(bench: BenchCallboard, expected: number): Promise<void> {
  return assertCount(bench, `callboard.attempts where outcome = 'delivered'`, expected)
}
