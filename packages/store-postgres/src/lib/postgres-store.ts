import { CallboardError, type Store } from '@callboard/core'
import { createAccountStore } from './accounts.ts'
import { createAdmissionStore } from './admission.ts'
import { createAnnouncer } from './announcer.ts'
import type { Database, SqlClient } from './database.ts'
import { createDeliveryStore } from './deliveries.ts'
import { createDeliveryLog } from './delivery-log.ts'
import { createEventStore } from './events.ts'
import { notMigrated } from './failures.ts'
import { createKeyStore } from './keys.ts'
import { createMaintenanceStore } from './maintenance.ts'
import { createPgDatabase, type PgPool } from './pg-database.ts'
import { createPgliteDatabase, type PGliteLike } from './pglite-database.ts'
import { assertSchemaName, DEFAULT_SCHEMA } from './schema-name.ts'
import type { Statement } from './statements/statement.ts'
import { createSubscriptionStore } from './subscriptions.ts'

export interface PostgresStoreOptions {
  /** The platform's own `pg` pool. This or `pglite`. */
  readonly pool?: PgPool | undefined
  /** PGlite, the Postgres that runs inside the process. */
  readonly pglite?: PGliteLike | undefined
  /** Name of the schema; `callboard` by default. */
  readonly schema?: string | undefined
  /** Whether statements are prepared by name; true by default. False behind a PgBouncer in transaction mode. */
  readonly prepare?: boolean | undefined
  /**
   * Whether publishing tells workers by `NOTIFY`, and each worker listens on a connection beside its pool; `prepare` by default.
   * Without it they look for work every `pollMs`. False where transactions are prepared (two-phase commit), or a PgBouncer in
   * transaction mode stands between.
   */
  readonly notify?: boolean | undefined
  /**
   * How long a call may take in all, in milliseconds, before it fails as `UNAVAILABLE`: the wait for a connection of the
   * pool, its statements, its tries after conflicts; 10 s by default. `pg` only.
   */
  readonly queryTimeoutMs?: number | undefined
}

/** The store in Postgres: what a platform's own transaction joins is any client with `query(text, values)`. */
export type PostgresStore = Store<SqlClient>

/** Which migrations the statements need. */
const NEEDED_MIGRATIONS = [
  '0001-initial.sql',
  '0002-operations.sql',
  '0003-maintenance.sql',
  '0004-outbox-order.sql',
  '0005-publish.sql',
  '0006-sequencing.sql',
]

const appliedMigrations: Statement<{ n: number; isolation: string }> = {
  name: 'applied-migrations',
  text: `
select count(*)::int as n, current_setting('default_transaction_isolation') as isolation
from callboard.migrations where name = any ($1::text[])`,
}

/**
 * Every port of Callboard in the Postgres that the platform has already (13 or later, PGlite too). Run `migrate` first.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` for options that cannot work.
 */
export function createPostgresStore(options: PostgresStoreOptions): PostgresStore {
  const { schema = DEFAULT_SCHEMA, prepare = true, notify = prepare } = options
  const database = createDatabase(options)
  return {
    accounts: createAccountStore(database),
    keys: createKeyStore(database),
    admission: createAdmissionStore(database),
    events: createEventStore(database, notify && options.pool !== undefined ? createAnnouncer(schema) : () => null),
    subscriptions: createSubscriptionStore(database),
    deliveries: createDeliveryStore(database, schema),
    maintenance: createMaintenanceStore(database),
    deliveryLog: createDeliveryLog(database),
    async ready() {
      const [row] = await database.run(appliedMigrations, [NEEDED_MIGRATIONS])
      if (row?.n !== NEEDED_MIGRATIONS.length) throw notMigrated()
      if (row.isolation !== 'read committed')
        throw new CallboardError(
          'CONFIGURATION_INVALID',
          `Connections must default to READ COMMITTED, not ${row.isolation}: give Callboard a pool of its own that does.`,
        )
    },
  }
}

function createDatabase({
  pool,
  pglite,
  schema = DEFAULT_SCHEMA,
  prepare = true,
  notify = prepare,
  queryTimeoutMs = 10_000,
}: PostgresStoreOptions): Database {
  assertSchemaName(schema)
  if (pool !== undefined && pglite === undefined)
    return createPgDatabase(pool, { schema, prepare, notify, queryTimeoutMs })
  if (pglite !== undefined && pool === undefined) return createPgliteDatabase(pglite, schema)
  throw new CallboardError('CONFIGURATION_INVALID', 'Give createPostgresStore a pool or a pglite, one of them.')
}
