import { CallboardError } from '@callboard/core'
import { assertSchemaName, DEFAULT_SCHEMA } from '../sql/schema-name.ts'
import type { Database } from './database.ts'
import { createPgDatabase } from './pg-database.ts'
import type { PgPool } from './pg-pool.ts'
import { createPgliteDatabase, type PGliteLike } from './pglite-database.ts'

/** The database that has Callboard's tables, and how to use it. */
export interface DatabaseOptions {
  /** The platform's own `pg` pool. Pass either this or `pglite`. */
  readonly pool?: PgPool | undefined
  /** PGlite, the Postgres that runs inside the process. */
  readonly pglite?: PGliteLike | undefined
  /** The name of the schema; `callboard` by default. */
  readonly schema?: string | undefined
  /**
   * Whether to prepare statements by name. By default, they are prepared if the pool's connections do not lead through
   * a pooler. Set it to true if the pooler is in session mode or tracks prepared statements.
   */
  readonly prepare?: boolean | undefined
  /**
   * How long a call may take in total, in milliseconds; 10 s by default. A longer call fails with `UNAVAILABLE`. The
   * time includes waiting for a connection of the pool, all statements, and retries after conflicts. `pg` only.
   */
  readonly queryTimeoutMs?: number | undefined
}

/** @param notify whether to listen for notices; by default, only if no connection leads through a pooler. */
export function openDatabase(
  { pool, pglite, schema = DEFAULT_SCHEMA, prepare, queryTimeoutMs = 10_000 }: DatabaseOptions,
  notify?: boolean,
): Database {
  assertSchemaName(schema)
  if (pool !== undefined && pglite === undefined)
    return createPgDatabase(pool, { schema, prepare, notify, queryTimeoutMs })
  if (pglite !== undefined && pool === undefined) return createPgliteDatabase(pglite, schema)
  throw new CallboardError('CONFIGURATION_INVALID', 'Pass either pool or pglite.')
}
