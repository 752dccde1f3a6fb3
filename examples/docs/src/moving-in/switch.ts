import type { Pool, PoolClient } from 'pg'
import { callboard } from '../start/callboard.ts'
import { putInOutbox, type ShopEvent } from './outbox.ts'

/** Who sends a customer's events. While a customer is `moving`, the old sender does, and no endpoint may change. */
export type Sender = 'outbox' | 'moving' | 'callboard'

// #region publish
/** Publishes an event in your transaction, to the sender that the customer has when the transaction commits. */
export async function publishEvent(tx: PoolClient, shopEvent: ShopEvent): Promise<void> {
  const { customerId: accountId, event: type, data } = shopEvent
  // Locks the switch until this transaction ends. Transactions that publish do not wait for each other.
  const { rows } = await tx.query<{ sender: Sender }>(
    'select sender from webhook_switches where customer_id = $1 for share',
    [accountId],
  )
  if (rows[0] === undefined) throw new Error(`The customer ${accountId} has no row in webhook_switches.`)
  if (rows[0].sender !== 'callboard') return putInOutbox(tx, shopEvent)
  await callboard.publish({ accountId, type, subject: { type: 'order', id: data.order.id }, data }, { tx })
}
// #endregion

// #region flip
export interface Flip {
  readonly from: readonly Sender[]
  readonly to: Sender
}

/** Sets a customer's switch once no open transaction relies on it. Returns false if it is at none of `from`. */
export async function flip(pool: Pool, customerId: string, { from, to }: Flip): Promise<boolean> {
  const tx = await pool.connect()
  try {
    await tx.query('begin')
    await tx.query("set local lock_timeout = '10s'") // an open transaction delays the flip, and the flip delays nobody
    await tx.query("set local idle_in_transaction_session_timeout = '5s'") // if this machine is lost
    const { rows } = await tx.query<{ sender: Sender }>(
      'select sender from webhook_switches where customer_id = $1 for update',
      [customerId],
    )
    if (rows[0] === undefined) throw new Error(`The customer ${customerId} has no row in webhook_switches.`)
    const flips = from.includes(rows[0].sender)
    if (flips) await tx.query('update webhook_switches set sender = $2 where customer_id = $1', [customerId, to])
    await tx.query('commit')
    return flips
  } catch (error) {
    await tx.query('rollback')
    throw error
  } finally {
    tx.release()
  }
}
// #endregion
