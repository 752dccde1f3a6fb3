import type { SqlClient } from '../database/database.ts'
import { assertTransaction } from './assert-transaction.ts'
import { addKnownClient } from './known-clients.ts'

/** The part of TypeORM's `EntityManager` that Callboard uses; a type test checks it against the real type. */
export interface TypeOrmTransaction {
  /** Only the manager of a transaction, or of a query runner, has this. */
  readonly queryRunner?:
    | {
        readonly isTransactionActive: boolean
        query(text: string, values: unknown[], structured: true): Promise<{ readonly records: unknown[] }>
      }
    | undefined
}

/**
 * Publishes within a TypeORM transaction. If you use a query runner, pass `queryRunner.manager`.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` for a manager outside a transaction.
 * @example
 * await dataSource.transaction(async (manager) => {
 *   await manager.insert(Order, { id, email })
 *   await callboard.publish(event, { tx: fromTypeOrm(manager) })
 * })
 */
export function fromTypeOrm(manager: TypeOrmTransaction): SqlClient {
  const runner = manager?.queryRunner
  assertTransaction(runner?.isTransactionActive === true, 'dataSource.transaction')
  return addKnownClient({
    async query(text, values = []) {
      try {
        const { records = [] } = (await runner?.query(text, values, true)) ?? {}
        return { rows: records }
      } catch (error) {
        // Throws the driver's error instead of TypeORM's, which contains the parameters, and with them personal data.
        throw error instanceof Error && 'driverError' in error ? error.driverError : error
      }
    },
  })
}
