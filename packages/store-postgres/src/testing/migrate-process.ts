// Migrates the database with the given URL and sends its parent what it applied. Tests start several at once.
import { Client } from 'pg'
import { migrate } from '../lib/migrate.ts'

const client = new Client({ connectionString: process.argv[2] })
await client.connect()
process.send?.(await migrate(client))
await client.end()
process.disconnect?.()
