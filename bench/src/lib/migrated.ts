import { createPostgresStore, migrate, type PostgresStore } from '@callboard/store-postgres'
import { Client, Pool } from 'pg'

export interface Migrated {
  readonly pool: Pool
  readonly store: PostgresStore
}

/** Creates Callboard's tables in an empty database and opens a store on it. */
export async function migrated(url: string): Promise<Migrated> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await migrate(client)
  await client.end()
  const pool = new Pool({ connectionString: url })
  return { pool, store: createPostgresStore({ pool }) }
}
