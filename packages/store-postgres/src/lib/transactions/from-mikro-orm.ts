import type { SqlClient } from '../database/database.ts'
import { assertTransaction } from './assert-transaction.ts'
import { fromKysely, type KyselyTransaction } from './from-kysely.ts'

/** The part of MikroORM's `EntityManager` that Callboard uses; a type test checks it against the real type. */
export interface MikroOrmTransaction {
  getTransactionContext(): object | undefined
}

/**
 * Publishes within a MikroORM transaction; needs MikroORM 7 with `@mikro-orm/postgresql`. MikroORM runs its own
 * statements at `flush`, so flush before you publish; see the cost of publishing before a write in
 * `docs/publishing.md`.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` for an entity manager outside a transaction.
 * @example
 * await em.transactional(async (em) => {
 *   em.create(Order, { id, email })
 *   await em.flush()
 *   await callboard.publish(event, { tx: fromMikroOrm(em) })
 * })
 */
export function fromMikroOrm(em: MikroOrmTransaction): SqlClient {
  const trx = em?.getTransactionContext?.()
  if (!isKysely(trx)) return assertTransaction(false, 'em.transactional')
  return fromKysely(trx)
}

function isKysely(trx: object | undefined): trx is KyselyTransaction {
  return trx !== undefined && 'isTransaction' in trx && 'withoutPlugins' in trx
}
