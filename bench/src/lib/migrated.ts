import type { AuditDraft } from '@callboard/core/store'
import { createPostgresStore, migrate, type PostgresStore } from '@callboard/store-postgres'
import { Client, Pool } from 'pg'

/** The audit entry of what a section sets up. */
export const ENTRY: AuditDraft = {
  actor: { type: 'platform', id: undefined },
  action: 'account.created',
  accountId: undefined,
  mode: undefined,
  objectId: undefined,
  details: {},
}

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
