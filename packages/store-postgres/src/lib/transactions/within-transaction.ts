import { CallboardError } from '@callboard/core'
import type { Database, Runner, SqlClient } from '../database/database.ts'
import { isConflict, isReadOnly, toStoreError } from '../database/failures.ts'
import { addKnownClient, isKnownClient } from './known-clients.ts'

/**
 * Runs `work` in the caller's transaction. Callboard cannot repeat that transaction after a conflict; only the caller
 * can.
 */
export async function withinTransaction<Result>(
  database: Database,
  tx: SqlClient,
  work: (runner: Runner) => Promise<Result>,
): Promise<Result> {
  try {
    await assertSqlClient(tx)
    return await work(database.join(tx))
  } catch (error) {
    if (isConflict(error))
      throw new CallboardError(
        'TRANSACTION_CONFLICT',
        'The transaction conflicted with another one. Roll it back and run it again.',
        { cause: error },
      )
    if (isReadOnly(error))
      throw new CallboardError(
        'CONFIGURATION_INVALID',
        'The transaction in tx is read-only. Begin it with "read write", or check default_transaction_read_only.',
        { cause: error },
      )
    throw toStoreError(error)
  }
}

/**
 * Checks that `tx` is a client which answers queries with `{ rows }`, before any statement that stores something. The
 * first client of each kind is asked for a row.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` for anything else.
 */
async function assertSqlClient(tx: SqlClient): Promise<void> {
  if (typeof tx?.query !== 'function') throw notAClient()
  if (isKnownClient(tx)) return
  const { rows }: { readonly rows?: unknown } = Object(await tx.query(`select 'yes' as named`, []))
  if (!Array.isArray(rows) || Object(rows[0]).named !== 'yes') throw notAClient()
  addKnownClient(tx)
}

function notAClient(): CallboardError {
  return new CallboardError(
    'CONFIGURATION_INVALID',
    'tx must have query(text, values) and answer with { rows }, like a client of pg or PGlite. For other libraries, ' +
      'pass fromDrizzle(tx, sql), fromKnex(trx), fromKysely(trx), fromMikroOrm(em), fromPostgresJs(sql), fromPrisma(tx) ' +
      'or fromTypeOrm(manager).',
  )
}

/**
 * Runs a statement on the caller's transaction, and a second time if the first did nothing because no transaction was
 * proven: by then, the transaction has an id, unless there is none (see `inTransactionFunction`).
 *
 * @throws CallboardError `CONFIGURATION_INVALID` outside a transaction. Nothing is stored then.
 */
export async function proven<Row>(
  run: () => Promise<Row[]>,
  isProven: (rows: readonly Row[]) => boolean,
): Promise<Row[]> {
  for (let tries = 1; tries <= 2; tries++) {
    const rows = await run()
    if (isProven(rows)) return rows
  }
  throw new CallboardError(
    'CONFIGURATION_INVALID',
    'tx has no open transaction, so a rollback would not undo what is stored. Pass the client on which you ran begin, ' +
      'not the pool, and use it before you commit.',
  )
}
