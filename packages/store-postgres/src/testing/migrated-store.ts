import { ENTRY } from '@callboard/store-conformance'
import type { TestPostgres } from '@callboard/testbed'
import type { Pool } from 'pg'
import { createPostgresStore, type PostgresStore } from '../lib/postgres-store.ts'
import { migrate } from '../lib/schema/migrate.ts'

/** Migrates a pool's database and opens a store on it, with the account `a`. */
export async function migratedStore(pool: Pool): Promise<PostgresStore> {
  const client = await pool.connect()
  await migrate(client)
  client.release()
  const store = createPostgresStore({ pool })
  await store.accounts.createAccounts([{ id: 'a', name: 'A', entry: ENTRY }])
  return store
}

export async function migratedPool(server: TestPostgres): Promise<{ pool: Pool; store: PostgresStore }> {
  const pool = await server.createPool()
  return { pool, store: await migratedStore(pool) }
}

/** Resolves once this many statements of other connections wait for a lock. */
export async function waiting(pool: Pool, count: number): Promise<void> {
  for (;;) {
    const { rows } = await pool.query(
      `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    )
    if (rows.length >= count) return
  }
}
