// Callboard's tables are in the platform's own Postgres, and an event commits or rolls back with the platform's
// transaction.
import assert from 'node:assert/strict'
import { createCallboard } from '@callboard/core'
import { createRouter } from '@callboard/router'
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
const { data } = await callboard.events.page({ accountId: 'acc_1' })
assert.deepEqual(
  data.map(({ subject }) => subject.id),
  ['ord_1'],
)

const { token } = await callboard.keys.issue({ accountId: 'acc_1', name: 'tests', scopes: ['webhooks.read'] })
const me = new Request('https://platform.example/v1/me', { headers: { authorization: `Bearer ${token}` } })
assert.equal((await createRouter(callboard).fetch(me)).status, 200)
assert((await readMigrations()).length > 0)
assert.match(grantsSql({ publisher: 'shop', api: 'api', worker: 'worker' }), /grant /)
await pool.end()
