import { CallboardError } from '@callboard/core'
import type { Database } from './database.ts'
import { createPgDatabase, type PgPool } from './pg-database.ts'
import { createPgliteDatabase, type PGliteLike } from './pglite-database.ts'
import { assertSchemaName, DEFAULT_SCHEMA } from './schema-name.ts'

/** Where Callboard's tables are, and how it talks to them. */
export interface DatabaseOptions {
  /** The platform's own `pg` pool. This or `pglite`. */
  readonly pool?: PgPool | undefined
  /** PGlite, the Postgres that runs inside the process. */
  readonly pglite?: PGliteLike | undefined
  /** Name of the schema; `callboard` by default. */
  readonly schema?: string | undefined
  /** Whether statements are prepared by name; true by default. False behind a PgBouncer in transaction mode. */
  readonly prepare?: boolean | undefined
  /**
   * How long a call may take in all, in milliseconds, before it fails as `UNAVAILABLE`: the wait for a connection of the
   * pool, its statements, its tries after conflicts; 10 s by default. `pg` only.
   */
  readonly queryTimeoutMs?: number | undefined
}

/** @param notify whether it listens to notices; false by default. */
export function openDatabase(
  { pool, pglite, schema = DEFAULT_SCHEMA, prepare = true, queryTimeoutMs = 10_000 }: DatabaseOptions,
  notify = false,
): Database {
  assertSchemaName(schema)
  if (pool !== undefined && pglite === undefined)
    return createPgDatabase(pool, { schema, prepare, notify, queryTimeoutMs })
  if (pglite !== undefined && pool === undefined) return createPgliteDatabase(pglite, schema)
  throw new CallboardError('CONFIGURATION_INVALID', 'Give a pool or a pglite, one of them.')
}
