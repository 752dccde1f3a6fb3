import type { SqlClient } from '../database.ts'
import { assertTransaction } from './assert-transaction.ts'

/** The part of a Drizzle transaction that is used; a type test pins it to the real one. */
export interface DrizzleTransaction<Query> {
  execute(query: Query): PromiseLike<unknown>
  /** What a database has only within a transaction. */
  rollback(): never
}

/** `sql` of `drizzle-orm`. */
export type DrizzleSqlTag<Query> = (strings: TemplateStringsArray, ...values: unknown[]) => Query

/**
 * Publishes within a transaction of Drizzle's, on any of its Postgres drivers. `sql` is Drizzle's own, so that this package needs none.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` when it is given the database instead.
 * @example
 * import { sql } from 'drizzle-orm'
 *
 * await db.transaction(async (tx) => {
 *   await tx.insert(orders).values({ id, email })
 *   await callboard.publish(event, { tx: fromDrizzle(tx, sql) })
 * })
 */
export function fromDrizzle<Query>(tx: DrizzleTransaction<NoInfer<Query>>, sql: DrizzleSqlTag<Query>): SqlClient {
  assertTransaction(typeof tx.rollback === 'function', 'db.transaction')
  return {
    async query(text, values = []) {
      const { strings, places } = template(text)
      try {
        return { rows: rowsOf(await tx.execute(sql(strings, ...places.map((place) => values[place - 1])))) }
      } catch (error) {
        // Drizzle's own says in its message what the parameters were: personal data.
        throw error instanceof Error ? (error.cause ?? error) : error
      }
    },
  }
}

/** Drizzle counts placeholders itself: the text between them, and which value each takes. */
function template(text: string): { readonly strings: TemplateStringsArray; readonly places: readonly number[] } {
  const pieces = text.split(/\$(\d+)/)
  const strings = pieces.filter((_, index) => index % 2 === 0)
  const places = pieces.filter((_, index) => index % 2 === 1).map(Number)
  return { strings: Object.assign(strings, { raw: strings }), places }
}

/** On postgres.js a result is its rows. */
function rowsOf(result: unknown): unknown[] {
  if (Array.isArray(result)) return result
  if (typeof result === 'object' && result !== null && 'rows' in result && Array.isArray(result.rows))
    return result.rows
  throw new TypeError('Drizzle gave no rows')
}
