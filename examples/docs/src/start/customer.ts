import { callboard, pool } from './callboard.ts'

await callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' }) // the id that you know your customer by
const { token } = await callboard.keys.issue({
  account: 'acc_1',
  name: 'First key',
  scopes: ['webhooks.read', 'webhooks.write'],
})
console.log(token) // shown this once: Callboard keeps only a hash of it
await pool.end()
