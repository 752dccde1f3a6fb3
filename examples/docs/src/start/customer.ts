import { migrate } from '@callboard/store-postgres'
import { callboard, pool } from './callboard.ts'

// Callboard's tables, in a schema of their own, and a table of yours.
const client = await pool.connect()
await migrate(client)
await client.query('create table if not exists orders (id text primary key, email text not null)')
client.release()

await callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' }) // the id that you know your customer by
const { token } = await callboard.keys.issue({
  accountId: 'acc_1',
  name: 'First key',
  scopes: ['webhooks.read', 'webhooks.write'],
})
console.log(token) // shown this once: Callboard keeps only a hash of it
await pool.end()
