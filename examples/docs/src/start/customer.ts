import { migrate } from '@callboard/store-postgres'
import { callboard, pool } from './callboard.ts'

// Creates Callboard's tables, in their own schema, and one table of your own.
const client = await pool.connect()
await migrate(client)
await client.query('create table if not exists orders (id text primary key, email text not null)')
client.release()

await callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' }) // use your own id for this customer
const { token } = await callboard.keys.issue({
  accountId: 'acc_1',
  name: 'First key',
  scopes: ['webhooks.read', 'webhooks.write'],
})
console.log(token) // cannot be shown again: Callboard stores only its hash
await pool.end()
