// The platform's own Postgres: tables, and an event that stands or falls with the platform's transaction.
import assert from 'node:assert/strict'
import { createCallboard } from '@callboard/core'
import {
  createPostgresRateLimiter,
  createPostgresStore,
  grantsSql,
  migrate,
  readMigrations,
} from '@callboard/store-postgres'
import { Pool } from 'pg'
import { catalog, paid, secretKeys } from './catalog.ts'

const pool = new Pool({ connectionString: process.env['DATABASE_URL'] })
const client = await pool.connect()
await migrate(client)
await client.query('create table orders (id text primary key)')
client.release()

const callboard = createCallboard({
  catalog,
  store: createPostgresStore({ pool }),
  rateLimiter: createPostgresRateLimiter({ pool }),
  secretKeys,
})
await callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })

async function sell(id: string, end: 'commit' | 'rollback'): Promise<void> {
  const tx = await pool.connect()
  await tx.query('begin')
  await tx.query('insert into orders values ($1)', [id])
  await callboard.publish(paid(id), { tx })
  await tx.query(end)
  tx.release()
}
await sell('ord_1', 'commit')
await sell('ord_2', 'rollback')
const { events } = await callboard.events.page({ account: 'acc_1' })
assert.equal(events.length, 1)
assert.match(events.join(), /"id":"ord_1"/)

const { token } = await callboard.keys.issue({ account: 'acc_1', name: 'tests', scopes: ['webhooks.read'] })
assert.equal((await callboard.admissions.admit(`Bearer ${token}`)).outcome, 'admitted')
assert((await readMigrations()).length > 0)
assert.match(grantsSql({ publisher: 'shop', api: 'api', worker: 'worker' }), /grant /)
await pool.end()
