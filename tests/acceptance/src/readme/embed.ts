import { createCallboard, defineCatalog, defineEventType } from '@callboard/core'
import type { AnyCallboard } from '@callboard/core/engine'
import type { Worker } from '@callboard/delivery'
import { startWorker } from '@callboard/delivery'
import type { Router } from '@callboard/router'
import { createRouter } from '@callboard/router'
import { createPostgresStore, migrate } from '@callboard/store-postgres'
import type { Pool } from 'pg'
import * as z from 'zod'

const orderPaid = defineEventType({
  name: 'order.paid',
  schema: z.object({
    order: z.object({ id: z.string(), buyer: z.object({ entity_id: z.string(), email: z.email() }) }),
  }),
  sample: { order: { id: 'ord_1', buyer: { entity_id: 'per_1', email: 'ada@example.com' } } },
  personalDataPaths: ['order.buyer.email'],
  personPath: 'order.buyer.entity_id',
})
export const catalog = defineCatalog({ version: '2026-10-01', types: [orderPaid] })

/** A platform with its own Postgres pool and a server for `fetch`. */
export async function embed(
  pool: Pool,
  k1: string,
  targets: object,
  logger: { error(entry: object): void },
): Promise<{
  callboard: AnyCallboard
  token: string
  router: Router
  worker: Worker
  sell: (id: string, email: string) => Promise<void>
}> {
  const client = await pool.connect()
  await migrate(client)
  client.release()

  const callboard = createCallboard({
    catalog,
    store: createPostgresStore({ pool }), // your own pg pool
    secretKeys: { current: 'k1', keys: { k1 } }, // 32 random bytes in base64, kept outside the database
    onError: (error, { requestId }) => logger.error({ error, requestId }), // the cause of each 500
    targets, // omitted in the READMEs, so that only public HTTPS addresses are targets
  })
  const router = createRouter(callboard) // router.fetch answers /v1/…
  const worker = await startWorker(callboard) // delivers, here or in a separate process

  await callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' }) // your customer
  const { token } = await callboard.keys.issue({
    accountId: 'acc_1',
    name: 'Zapier',
    scopes: ['webhooks.read', 'webhooks.write'],
  })

  async function sell(id: string, email: string): Promise<void> {
    const tx = await pool.connect()
    try {
      await tx.query('begin')
      await tx.query('insert into orders (id, email) values ($1, $2)', [id, email])
      const data = { order: { id, buyer: { entity_id: 'per_1', email } } }
      await callboard.publish({ accountId: 'acc_1', type: 'order.paid', subject: { type: 'order', id }, data }, { tx })
      await tx.query('commit') // the event stands or falls with the order
    } catch (error) {
      await tx.query('rollback')
      throw error
    } finally {
      tx.release()
    }
  }
  return { callboard, token, router, worker, sell }
}
