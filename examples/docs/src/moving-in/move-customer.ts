import { callboard, pool } from '../start/callboard.ts'
import { toImportItem } from './own-endpoints.ts'
import { flip } from './switch.ts'

// #region move
/** Moves one customer to Callboard. Safe to run again, wherever an earlier run has stopped. */
export async function moveCustomer(id: string): Promise<void> {
  // From here on, the customer's endpoints do not change. The old sender still sends the events.
  const moves = await flip(pool, id, { from: ['outbox', 'moving'], to: 'moving' })
  if (!moves) return // an earlier run has moved this customer
  const { rows: customers } = await pool.query('select id, name from customers where id = $1', [id])
  await callboard.accounts.ensure(customers)
  const { rows: endpoints } = await pool.query('select * from webhook_endpoints where customer_id = $1', [id])
  const results = await callboard.subscriptions.import(endpoints.map(toImportItem), { by: 'platform' })
  const refused = results.flatMap((result, index) =>
    result.outcome === 'refused' ? [`${endpoints[index].id}: ${result.issues[0]?.message}`] : [],
  )
  if (refused.length > 0) throw new Error(`${id} is not moved. ${refused.join('\n')}`)
  await flip(pool, id, { from: ['moving'], to: 'callboard' })
}

/** Moves one customer back. Callboard still sends the events that were published to it. */
export async function moveBack(id: string): Promise<void> {
  await flip(pool, id, { from: ['moving', 'callboard'], to: 'outbox' })
}
// #endregion
