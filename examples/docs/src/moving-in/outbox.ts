import { createHmac } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'

/** An event as the platform has published it so far. */
export interface ShopEvent {
  readonly customerId: string
  readonly event: 'order.paid'
  readonly data: { readonly order: { readonly id: string; readonly buyer: { entity_id: string; email: string } } }
}

export async function putInOutbox(tx: PoolClient, { customerId, event, data }: ShopEvent): Promise<void> {
  await tx.query('insert into webhook_outbox (customer_id, event, data) values ($1, $2, $3)', [customerId, event, data])
}

/** The old sender, which a cron job calls: sends what is in the outbox. Returns how many events it has sent. */
export async function sendOutbox(pool: Pool): Promise<number> {
  const tx = await pool.connect()
  try {
    await tx.query('begin')
    const { rows } = await tx.query(
      `select id, customer_id, event, data, extract(epoch from created_at)::bigint as created
       from webhook_outbox where sent_at is null order by id limit 50 for update skip locked`,
    )
    const sent = await Promise.all(rows.map(async (row) => ((await sendToAll(pool, row)) ? [row.id] : [])))
    await tx.query('update webhook_outbox set sent_at = now() where id = any($1)', [sent.flat()])
    await tx.query('commit')
    return sent.flat().length
  } catch (error) {
    await tx.query('rollback')
    throw error
  } finally {
    tx.release()
  }
}

async function sendToAll(pool: Pool, row: Record<string, unknown>): Promise<boolean> {
  const { id, customer_id, event, data, created } = row
  const { rows: endpoints } = await pool.query<{ url: string; secret: string }>(
    'select url, secret from webhook_endpoints where customer_id = $1 and $2 = any(events) and enabled',
    [customer_id, event],
  )
  const body = JSON.stringify({ id, event, created, data })
  const answers = await Promise.all(endpoints.map(({ url, secret }) => send(url, secret, body)))
  return answers.every(Boolean)
}

async function send(url: string, secret: string, body: string): Promise<boolean> {
  const signature = createHmac('sha256', secret).update(body).digest('hex')
  const headers = { 'content-type': 'application/json', 'x-shop-signature': `sha256=${signature}` }
  const response = await fetch(url, { method: 'POST', headers, body }).catch(() => undefined)
  return response?.ok === true
}
