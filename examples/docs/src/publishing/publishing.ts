import { isCallboardError } from '@callboard/core'
import type { PoolClient } from 'pg'
import { callboard, pool } from '../start/callboard.ts'

// #region conflict
/** Runs `work` in a transaction, and retries it after a conflict with another transaction. */
export async function inTransaction<T>(work: (tx: PoolClient) => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    const tx = await pool.connect()
    try {
      await tx.query('begin')
      const result = await work(tx)
      await tx.query('commit')
      return result
    } catch (error) {
      await tx.query('rollback')
      if (attempts === 3 || !isCallboardError(error, 'TRANSACTION_CONFLICT')) throw error
    } finally {
      tx.release()
    }
  }
}
// #endregion

const dataOf = (id: string) => ({ order: { id, buyer: { entity_id: 'per_1', email: 'ada@example.com' } } })

// #region idempotent
export async function onPayment(paymentId: string, orderId: string): Promise<string> {
  const { id } = await callboard.publish({
    accountId: 'acc_1',
    type: 'order.paid',
    subject: { type: 'order', id: orderId },
    data: dataOf(orderId),
    idempotencyKey: `payment ${paymentId}`, // a repeat stores nothing and returns the first event
  })
  return id
}
// #endregion

// #region many
export async function importOrders(orderIds: readonly string[]): Promise<void> {
  await inTransaction((tx) =>
    callboard.publishMany(
      orderIds.map((id) => ({
        accountId: 'acc_1',
        type: 'order.paid',
        subject: { type: 'order', id },
        data: dataOf(id),
        occurredAt: new Date('2026-10-01T12:00:00Z'), // when it happened; now by default
      })),
      { tx }, // all or none
    ),
  )
}
// #endregion

// #region new-customer
export async function sellTo(customer: { id: string; name: string }, orderId: string): Promise<void> {
  await callboard.publish({
    accountId: customer.id,
    accountName: customer.name, // creates the account if it does not exist
    type: 'order.paid',
    subject: { type: 'order', id: orderId },
    data: dataOf(orderId),
  })
}
// #endregion

// #region backfill
/** Creates the accounts of all customers that you had before you added Callboard. Safe to run again. */
export async function createAccounts(): Promise<void> {
  for (let after = '', more = true; more; ) {
    const { rows } = await pool.query<{ id: string; name: string }>(
      'select id, name from customers where id > $1 order by id limit 500',
      [after],
    )
    await callboard.accounts.ensure(rows)
    after = rows.at(-1)?.id ?? after
    more = rows.length > 0
  }
}
// #endregion
