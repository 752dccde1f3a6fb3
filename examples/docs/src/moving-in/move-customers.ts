import { pool } from '../start/callboard.ts'
import { moveCustomer } from './move-customer.ts'

for (const id of process.argv.slice(2)) await moveCustomer(id)
await pool.end()
