// Migrates the database whose URL it is given and tells its parent what it applied: one of several that start at once.
import { Client } from 'pg'
import { migrate } from '../lib/migrate.ts'

const client = new Client({ connectionString: process.argv[2] })
await client.connect()
process.send?.(await migrate(client))
await client.end()
process.disconnect?.()
