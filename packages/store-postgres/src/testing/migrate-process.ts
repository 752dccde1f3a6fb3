// Migrates the database with the given URL, and sends the names of the applied migrations to the parent process. Tests
// start several of these processes at once.
import { Client } from 'pg'
import { migrate } from '../lib/schema/migrate.ts'

const client = new Client({ connectionString: process.argv[2] })
await client.connect()
process.send?.(await migrate(client))
await client.end()
process.disconnect?.()
