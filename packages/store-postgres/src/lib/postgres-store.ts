import { CallboardError } from '@callboard/core'
import type { Store } from '@callboard/core/store'
import { createAccountStore } from './accounts.ts'
import { createAdmissionStore } from './admission.ts'
import { createAnnouncer } from './announcer.ts'
import { createAuditStore } from './audit.ts'
import type { SqlClient } from './database.ts'
import { createDeliveryStore } from './deliveries.ts'
import { createDeliveryLog } from './delivery-log.ts'
import { createEventStore } from './events.ts'
import { notMigrated } from './failures.ts'
import { lockFolder } from './folder-lock.ts'
import { createHealthStore } from './health.ts'
import { createKeyStore } from './keys.ts'
import { createMaintenanceStore } from './maintenance.ts'
import { missingMigrations } from './missing-migrations.ts'
import { type DatabaseOptions, openDatabase } from './open-database.ts'
import { openReplica, type ReaderOptions } from './open-replica.ts'
import { primaryReader } from './page-reader.ts'
import { DEFAULT_SCHEMA } from './schema-name.ts'
import { assertEncoding } from './server-encoding.ts'
import { assertServerVersion, MAJOR_VERSION } from './server-version.ts'
import type { Statement } from './statements/statement.ts'
import { createSubscriptionStore } from './subscriptions.ts'
import { surveyDatabase } from './survey.ts'
import { createVersionStore } from './versions.ts'

export interface PostgresStoreOptions extends DatabaseOptions, ReaderOptions {
  /**
   * Whether publishing wakes workers with `NOTIFY`; the value of `prepare` by default. Each worker then listens on one
   * more connection, outside its pool; by default, not through a pooler. Set `notify` to false if you prepare
   * transactions for two-phase commit. Without notices, workers find new events only by polling every `pollMs`.
   */
  readonly notify?: boolean | undefined
}

/** The store in Postgres. It can publish in the transaction of any client that has `query(text, values)`. */
export type PostgresStore = Store<SqlClient>

const appliedMigrations: Statement<{ name: string; isolation: string; encoding: string; major: number }> = {
  name: 'applied-migrations',
  text: `
select m.name, current_setting('default_transaction_isolation') as isolation,
  current_setting('server_encoding') as encoding, ${MAJOR_VERSION} as major
from callboard.migrations m`,
}

/**
 * Implements every port of Callboard in the platform's own Postgres (15 or later) or PGlite. Run `migrate` first.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` for options that cannot work.
 */
export function createPostgresStore(options: PostgresStoreOptions): PostgresStore {
  const { schema = DEFAULT_SCHEMA, prepare, notify = prepare } = options
  const database = openDatabase(options, notify)
  const replica = openReplica(database, options)
  const reader = replica ?? primaryReader(database)
  return {
    accounts: createAccountStore(database),
    keys: createKeyStore(database),
    subscriptions: createSubscriptionStore(database),
    deliveryLog: createDeliveryLog(database, reader),
    versions: createVersionStore(database),
    audit: createAuditStore(database),
    admission: createAdmissionStore(database, reader),
    events: createEventStore(
      database,
      reader,
      notify !== false && options.pool !== undefined ? createAnnouncer(schema) : () => null,
    ),
    deliveries: createDeliveryStore(database, schema, replica),
    maintenance: createMaintenanceStore(database),
    health: createHealthStore(database),
    async ready() {
      if (options.pglite !== undefined) await lockFolder(options.pglite)
      const applied = await database.run(appliedMigrations, {})
      if (missingMigrations(applied.map(({ name }) => name)).length > 0) throw notMigrated()
      const [row] = applied
      if (row !== undefined) assertServerVersion(row.major)
      if (row !== undefined) assertEncoding(row.encoding)
      if (row !== undefined && row.isolation !== 'read committed')
        throw new CallboardError(
          'CONFIGURATION_INVALID',
          `Connections must default to READ COMMITTED, not ${row.isolation}. Give Callboard a pool that sets this.`,
        )
      await replica?.check()
    },
    survey: (latelyMs) => surveyDatabase(database, replica, schema, latelyMs),
  }
}
