import type { SqlClient } from '../database.ts'
import { assertTransaction } from './assert-transaction.ts'

/** The part of a postgres.js transaction that is used; a type test pins it to the real one. */
export interface PostgresJsTransaction {
  unsafe(text: string, values?: unknown[], options?: { readonly prepare: boolean }): PromiseLike<readonly unknown[]>
  /** What `sql` has only within a transaction. */
  savepoint(work: () => Promise<unknown>): Promise<unknown>
}

/**
 * Publishes within a transaction of postgres.js.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` when it is given `sql` itself, outside of a transaction.
 * @example
 * await sql.begin(async (sql) => {
 *   await sql`insert into orders ${sql({ id, email })}`
 *   await callboard.publish(event, { tx: fromPostgresJs(sql) })
 * })
 */
export function fromPostgresJs(sql: PostgresJsTransaction): SqlClient {
  assertTransaction(typeof sql.savepoint === 'function', 'sql.begin')
  return {
    // Unprepared, it asks what the parameters are before it sends them: another round trip. Off where the client's option is.
    query: async (text, values = []) => ({ rows: [...(await sql.unsafe(text, values, { prepare: true }))] }),
  }
}
