import process from 'node:process'
import { createCallboard, defineCatalog, defineEventType } from '@callboard/core'
import { createRouter } from '@callboard/router'
import { createPostgresStore, migrate } from '@callboard/store-postgres'
import { Pool } from 'pg'
import * as z from 'zod'

const orderPaid = defineEventType({
  name: 'order.paid',
  schema: z.object({
    order: z.object({ id: z.string(), buyer: z.object({ entity_id: z.string(), email: z.email() }) }),
  }),
  sample: { order: { id: 'ord_1', buyer: { entity_id: 'per_1', email: 'ada@example.com' } } },
  personalDataPaths: ['order.buyer.email'],
})

const { DATABASE_URL, SECRET_KEY = '', NODE_ENV } = process.env
export const pool = new Pool({ connectionString: DATABASE_URL })

const client = await pool.connect()
await migrate(client)
await client.query('create table if not exists orders (id text primary key, email text not null)')
client.release()

export const callboard = createCallboard({
  catalog: defineCatalog({ version: '2026-10-01', types: [orderPaid] }),
  store: createPostgresStore({ pool }),
  secretKeys: { current: 'k1', keys: { k1: SECRET_KEY } },
  // Allows receivers on this machine during development.
  targets: NODE_ENV === 'development' ? { httpLoopbackHosts: ['127.0.0.1'], allowedPorts: 'any' } : undefined,
  onError: console.error,
})

/** Abort it when the server stops: it ends open streams and waiting requests. */
export const closing = new AbortController()
export const router = createRouter(callboard, { closing: closing.signal })

/** Commits both the order and its event, or neither. */
export async function sell(email: string): Promise<{ id: string }> {
  const id = `ord_${crypto.randomUUID()}`
  const tx = await pool.connect()
  try {
    await tx.query('begin')
    await tx.query('insert into orders (id, email) values ($1, $2)', [id, email])
    const data = { order: { id, buyer: { entity_id: 'per_1', email } } }
    await callboard.publish({ accountId: 'acc_1', type: 'order.paid', subject: { type: 'order', id }, data }, { tx })
    await tx.query('commit')
    return { id }
  } catch (error) {
    await tx.query('rollback')
    throw error
  } finally {
    tx.release()
  }
}
