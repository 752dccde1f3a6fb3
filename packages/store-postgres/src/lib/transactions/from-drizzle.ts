import type { SqlClient } from '../database/database.ts'
import { assertTransaction } from './assert-transaction.ts'
import { addKnownClient } from './known-clients.ts'

/** The part of a Drizzle transaction that Callboard uses; a type test checks it against the real type. */
export interface DrizzleTransaction<Query> {
  execute(query: Query): PromiseLike<unknown>
  /** Only a transaction has this. */
  rollback(): never
}

/** `sql` from `drizzle-orm`. */
export type DrizzleSqlTag<Query> = (strings: TemplateStringsArray, ...values: unknown[]) => Query

/**
 * Publishes within a Drizzle transaction, on any of its Postgres drivers. `sql` is Drizzle's own, so that this package
 * does not depend on Drizzle.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` for a database instead of a transaction.
 * @example
 * import { sql } from 'drizzle-orm'
 *
 * await db.transaction(async (tx) => {
 *   await tx.insert(orders).values({ id, email })
 *   await callboard.publish(event, { tx: fromDrizzle(tx, sql) })
 * })
 */
export function fromDrizzle<Query>(tx: DrizzleTransaction<NoInfer<Query>>, sql: DrizzleSqlTag<Query>): SqlClient {
  assertTransaction(typeof tx?.rollback === 'function', 'db.transaction')
  return addKnownClient({
    async query(text, values = []) {
      const { strings, numbers } = template(text)
      try {
        return { rows: rowsOf(await tx.execute(sql(strings, ...numbers.map((number) => values[number - 1])))) }
      } catch (error) {
        // Throws the driver's error instead of Drizzle's, because the message of the latter contains the parameters,
        // and with them personal data.
        throw error instanceof Error ? (error.cause ?? error) : error
      }
    },
  })
}

/** Splits SQL at its placeholders into texts and values, because Drizzle numbers the placeholders itself. */
function template(text: string): { readonly strings: TemplateStringsArray; readonly numbers: readonly number[] } {
  const pieces = text.split(/\$(\d+)/)
  const strings = pieces.filter((_, index) => index % 2 === 0)
  const numbers = pieces.filter((_, index) => index % 2 === 1).map(Number)
  return { strings: Object.assign(strings, { raw: strings }), numbers }
}

/** With Drizzle's postgres.js driver, the result is the array of rows itself. */
function rowsOf(result: unknown): unknown[] {
  if (Array.isArray(result)) return result
  if (typeof result === 'object' && result !== null && 'rows' in result && Array.isArray(result.rows))
    return result.rows
  throw new TypeError('Drizzle returned no rows')
}
