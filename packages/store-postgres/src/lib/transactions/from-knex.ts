import type { SqlClient } from '../database/database.ts'
import { assertTransaction } from './assert-transaction.ts'
import { addKnownClient } from './known-clients.ts'

/** The part of a Knex transaction that Callboard uses; a type test checks it against the real type. */
export interface KnexTransaction {
  raw(sql: string, bindings: readonly unknown[]): PromiseLike<unknown>
  readonly isTransaction?: boolean
  /** Only a transaction has this. */
  isCompleted(): boolean
}

/**
 * Publishes within a Knex transaction.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` for a `knex` outside a transaction.
 * @example
 * await knex.transaction(async (trx) => {
 *   await trx('orders').insert({ id, email })
 *   await callboard.publish(event, { tx: fromKnex(trx) })
 * })
 */
export function fromKnex(trx: KnexTransaction): SqlClient {
  assertTransaction(trx?.isTransaction === true, 'knex.transaction')
  return addKnownClient({
    async query(text, values = []) {
      // Knex numbers the placeholders itself.
      const bindings: unknown[] = []
      const sql = text.replaceAll(/\$(\d+)|\?/g, (found, number: string | undefined) => {
        if (number === undefined) return `\\${found}`
        bindings.push(values[Number(number) - 1])
        return '?'
      })
      const { rows }: { readonly rows?: unknown } = Object(await trx.raw(sql, bindings).then(undefined, rethrow))
      if (!Array.isArray(rows)) throw new TypeError('Knex returned no rows')
      return { rows }
    },
  })
}

/** Throws an error without the SQL that Knex puts before the message: it contains the values, and so personal data. */
function rethrow(error: unknown): never {
  if (!(error instanceof Error)) throw error
  const message = error.message.split(' - ').at(-1)
  throw Object.assign(new Error(message), 'code' in error && { code: error.code })
}
