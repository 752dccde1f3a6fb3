import type { Runner } from '../database/database.ts'
import { type PurgeParameters, purgeRows } from './purge.ts'

/** Deletes rows of a deleted account from one table. Resolves to how many rows it found; 0 once the table has none. */
type PurgeStep = (runner: Runner, parameters: PurgeParameters) => Promise<number>

/**
 * A step for each table that has rows of an account. Each step needs a transaction of its own, so that it waits for
 * locks in one table only.
 *
 * A statement that adds rows for an account first locks the lane, subscription, key or outbox row to which they belong,
 * and holds the lock until it commits. So once each step in turn has found nothing, no such statement is running.
 * Closing the account waits for subscriptions and keys that are being created. Only `publish` takes no such lock, so
 * its rows may be committed later; retention removes them.
 */
export const purgeSteps: readonly PurgeStep[] = purgeRows.map((statement) => async (runner, parameters) => {
  const [row] = await runner.run(statement, parameters)
  return row?.n ?? 0
})
