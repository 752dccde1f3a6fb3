import type { SqlClient } from '../database/database.ts'
import { assertTransaction } from './assert-transaction.ts'
import { addKnownClient } from './known-clients.ts'

/** The part of a postgres.js transaction that Callboard uses; a type test checks it against the real type. */
export interface PostgresJsTransaction {
  unsafe(text: string, values?: unknown[], options?: { readonly prepare: boolean }): PromiseLike<readonly unknown[]>
  /** Only `sql` within a transaction has this. */
  savepoint(work: () => Promise<unknown>): Promise<unknown>
}

/**
 * Publishes within a transaction of postgres.js.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` for an `sql` outside a transaction.
 * @example
 * await sql.begin(async (sql) => {
 *   await sql`insert into orders ${sql({ id, email })}`
 *   await callboard.publish(event, { tx: fromPostgresJs(sql) })
 * })
 */
export function fromPostgresJs(sql: PostgresJsTransaction): SqlClient {
  assertTransaction(typeof sql?.savepoint === 'function', 'sql.begin')
  return addKnownClient({
    // Without `prepare`, postgres.js would first ask the server for the parameter types, in another round trip. If the
    // client itself has `prepare: false`, that setting prevails.
    query: async (text, values = []) => ({ rows: [...(await sql.unsafe(text, values, { prepare: true }))] }),
  })
}
