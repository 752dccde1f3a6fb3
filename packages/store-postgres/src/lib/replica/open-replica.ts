import { CallboardError } from '@callboard/core'
import type { Database } from '../database/database.ts'
import type { DatabaseOptions } from '../database/open-database.ts'
import { createPgDatabase } from '../database/pg-database.ts'
import type { PgPool } from '../database/pg-pool.ts'
import { DEFAULT_SCHEMA } from '../sql/schema-name.ts'
import { createReplica, type Replica } from './replica.ts'

export interface ReaderOptions {
  /**
   * A `pg` pool on a replica of the database: a hot standby that streams from it. The replica then reads pages of
   * events without personal data, and older pages of deliveries. The primary reads everything else, and takes over
   * while the replica cannot be reached, takes longer than a second to answer, or is more than `maxLagMs` behind. None
   * by default. Only with `pool`.
   */
  readonly reader?: PgPool | undefined
  /**
   * How far behind the replica may be, in milliseconds; 1 s by default. A page shows everything that was committed
   * longer ago than this.
   */
  readonly maxLagMs?: number | undefined
}

/** How long a replica may take to answer, in milliseconds, before the primary is asked. */
const PATIENCE_MS = 1_000

/** Opens the replica that the option `reader` leads to; undefined without one. */
export function openReplica(primary: Database, options: DatabaseOptions & ReaderOptions): Replica | undefined {
  const { reader, maxLagMs = 1_000, schema = DEFAULT_SCHEMA, prepare, pool } = options
  if (reader === undefined) return undefined
  if (pool === undefined) throw new CallboardError('CONFIGURATION_INVALID', 'The option reader needs the option pool.')
  if (!(Number.isFinite(maxLagMs) && maxLagMs > 0))
    throw new CallboardError('CONFIGURATION_INVALID', 'maxLagMs must be a number of milliseconds above 0.')
  const database = createPgDatabase(reader, { schema, prepare, notify: false, queryTimeoutMs: PATIENCE_MS })
  return createReplica(primary, database, maxLagMs)
}
