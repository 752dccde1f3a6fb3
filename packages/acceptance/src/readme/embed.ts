import { createCallboard } from '@callboard/core'
import { startWorker, type Worker, type WorkerOptions } from '@callboard/delivery'
import { createRouter, type Router } from '@callboard/router'
import { createPostgresStore, migrate } from '@callboard/store-postgres'
import type { Pool } from 'pg'
import { catalog } from './catalog.ts'

/** A platform that has its own Postgres pool and a way to serve `fetch`. */
export async function embed(
  pool: Pool,
  k1: string,
  targets: object,
  options: WorkerOptions,
): Promise<{ token: string; router: Router; worker: Worker; sell: (id: string, email: string) => Promise<void> }> {
  const client = await pool.connect()
  await migrate(client)
  client.release()

  const callboard = createCallboard({
    catalog, // your event types, with schemas, samples and the paths of personal data
    store: createPostgresStore({ pool }), // your own pg pool
    secretKeys: { current: 'k1', keys: { k1 } }, // 32 random bytes, base64, kept outside the database
    targets, // leave it out: only public HTTPS addresses then
  })
  const router = createRouter(callboard) // router.fetch answers /v1/…
  const worker = await startWorker(callboard, options) // delivers, here or in a process of its own

  await callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })
  const { token } = await callboard.keys.issue({
    account: 'acc_1',
    name: 'Zapier',
    scopes: ['webhooks.read', 'webhooks.write'],
  })

  async function sell(id: string, email: string): Promise<void> {
    const tx = await pool.connect()
    try {
      await tx.query('begin')
      await tx.query('insert into orders (id, email) values ($1, $2)', [id, email])
      const data = { order: { id, buyer: { entity_id: 'per_1', email } } }
      await callboard.publish({ account: 'acc_1', type: 'order.paid', subject: { type: 'order', id }, data }, { tx })
      await tx.query('commit') // the event stands or falls with the order
    } catch (error) {
      await tx.query('rollback')
      throw error
    } finally {
      tx.release()
    }
  }
  return { token, router, worker, sell }
}
