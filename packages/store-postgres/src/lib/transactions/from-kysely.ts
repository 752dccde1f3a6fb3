import type { SqlClient } from '../database.ts'
import { assertTransaction } from './assert-transaction.ts'

/** A query of Kysely's that was compiled already. */
interface RawQuery {
  readonly sql: string
  readonly parameters: readonly unknown[]
  readonly query: {
    readonly kind: 'RawNode'
    readonly sqlFragments: readonly string[]
    readonly parameters: readonly never[]
  }
  readonly queryId: { readonly queryId: string }
}

/** The part of a Kysely transaction that is used; a type test pins it to the real one. */
export interface KyselyTransaction {
  readonly isTransaction: true
  withoutPlugins(): { executeQuery(query: RawQuery): Promise<{ readonly rows: readonly unknown[] }> }
}

/**
 * Publishes within a transaction of Kysely's, on any of its Postgres dialects.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` when it is given the database instead.
 * @example
 * await db.transaction().execute(async (trx) => {
 *   await trx.insertInto('orders').values({ id, email }).execute()
 *   await callboard.publish(event, { tx: fromKysely(trx) })
 * })
 */
export function fromKysely(trx: KyselyTransaction): SqlClient {
  assertTransaction(trx.isTransaction, 'db.transaction().execute')
  // A CamelCasePlugin would rename what our statements return.
  const plain = trx.withoutPlugins()
  return {
    async query(sql, parameters = []) {
      const query = { kind: 'RawNode', sqlFragments: [sql], parameters: [] } as const
      const { rows } = await plain.executeQuery({ sql, parameters, query, queryId: { queryId: 'callboard' } })
      return { rows: [...rows] }
    },
  }
}
