// The release step: runs once for each release, as the schema's owner, before the new version starts.
import { grantsSql, migrate } from '@callboard/store-postgres'
import { Client } from 'pg'

const client = new Client({ connectionString: process.env['DATABASE_URL'] })
await client.connect()
const applied = await migrate(client)
await client.query(grantsSql({ publisher: 'shop', api: 'shop', worker: 'shop_worker' }))
await client.end()
console.log(applied.length === 0 ? 'nothing to migrate' : `migrated: ${applied.join(', ')}`)
