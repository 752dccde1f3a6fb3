import type { SqlClient } from '../database/database.ts'
import { assertTransaction } from './assert-transaction.ts'
import { addKnownClient } from './known-clients.ts'

/** A compiled Kysely query. */
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

/** The part of a Kysely transaction that Callboard uses; a type test checks it against the real type. */
export interface KyselyTransaction {
  readonly isTransaction: true
  withoutPlugins(): { executeQuery(query: RawQuery): Promise<{ readonly rows: readonly unknown[] }> }
}

/**
 * Publishes within a Kysely transaction, on any of its Postgres dialects.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` for a database instead of a transaction.
 * @example
 * await db.transaction().execute(async (trx) => {
 *   await trx.insertInto('orders').values({ id, email }).execute()
 *   await callboard.publish(event, { tx: fromKysely(trx) })
 * })
 */
export function fromKysely(trx: KyselyTransaction): SqlClient {
  assertTransaction(trx?.isTransaction, 'db.transaction().execute')
  // Without plugins, because a CamelCasePlugin would rename the columns that our statements return.
  const plain = trx.withoutPlugins()
  return addKnownClient({
    async query(sql, parameters = []) {
      const query = { kind: 'RawNode', sqlFragments: [sql], parameters: [] } as const
      const { rows } = await plain.executeQuery({ sql, parameters, query, queryId: { queryId: 'callboard' } })
      return { rows: [...rows] }
    },
  })
}
