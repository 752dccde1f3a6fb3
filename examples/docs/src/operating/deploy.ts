import { grantsSql, migrate, readMigrations } from '@callboard/store-postgres'
import { Client } from 'pg'

// #region migrate
export async function deploy(connectionString: string): Promise<string[]> {
  const client = new Client({ connectionString }) // one connection, not a pool; of the schema's owner
  await client.connect()
  const applied = await migrate(client)
  await client.end()
  return applied
}
// #endregion

// #region sql
export async function migrationFiles(): Promise<string> {
  const migrations = await readMigrations()
  return migrations.map(({ name, sql }) => `-- ${name}\n${sql}`).join('\n')
}
// #endregion

// #region grants
export const grants = grantsSql({ publisher: 'shop', api: 'shop_api', worker: 'shop_worker' })
// #endregion
