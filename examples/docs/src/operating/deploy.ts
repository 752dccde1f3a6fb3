import { grantsSql, migrate, readMigrationScript } from '@callboard/store-postgres'
import { Client } from 'pg'

// #region migrate
export async function deploy(connectionString: string): Promise<string[]> {
  const client = new Client({ connectionString }) // one connection as the schema's owner, not a pool
  await client.connect()
  const applied = await migrate(client)
  await client.end()
  return applied
}
// #endregion

// #region sql
export async function migrationScript(): Promise<string> {
  return readMigrationScript() // one transaction, which also records the migrations
}
// #endregion

// #region grants
export const grants = grantsSql({ publisher: 'shop', api: 'shop_api', worker: 'shop_worker' })
// #endregion
