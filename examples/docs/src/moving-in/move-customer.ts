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
  const refused: string[] = []
  for (let start = 0; start < endpoints.length; start += 500) {
    const batch = endpoints.slice(start, start + 500) // the most of one call
    const results = await callboard.subscriptions.import(batch.map(toImportItem), { by: 'platform' })
    for (const [index, result] of results.entries())
      if (result.outcome === 'refused') refused.push(`${batch[index].id}: ${result.issues[0]?.message}`)
  }
  if (refused.length > 0) throw new Error(`${id} is not moved. ${refused.join('\n')}`)
  if (!(await flip(pool, id, { from: ['moving'], to: 'callboard' })))
    throw new Error(`${id} is not moved, because another program has set its switch meanwhile.`)
}

/** Moves one customer back. Callboard still sends the events that were published to it. */
export async function moveBack(id: string): Promise<void> {
  await flip(pool, id, { from: ['moving', 'callboard'], to: 'outbox' })
}
// #endregion
