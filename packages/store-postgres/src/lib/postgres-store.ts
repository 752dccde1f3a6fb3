import { CallboardError } from '@callboard/core'
import type { Store } from '@callboard/core/store'
import type { SqlClient } from './database/database.ts'
import { notMigrated } from './database/failures.ts'
import { lockFolder } from './database/folder-lock.ts'
import { type DatabaseOptions, openDatabase } from './database/open-database.ts'
import { assertEncoding, assertServerVersion, MAJOR_VERSION } from './database/supported-server.ts'
import { surveyDatabase } from './health/survey.ts'
import { tracedByEnvironment } from './lanes/trace-lane.ts'
import { createAnnouncer } from './publishing/announcer.ts'
import { primaryReader } from './reading/page-reader.ts'
import { openReplica, type ReaderOptions } from './replica/open-replica.ts'
import { missingMigrations } from './schema/missing-migrations.ts'
import { DEFAULT_SCHEMA } from './sql/schema-name.ts'
import type { Statement } from './sql/statement.ts'
import { createAccountStore } from './stores/account-store.ts'
import { createAdmissionStore } from './stores/admission-store.ts'
import { createAuditStore } from './stores/audit-store.ts'
import { createDeliveryLog } from './stores/delivery-log.ts'
import { createDeliveryStore } from './stores/delivery-store.ts'
import { createEventStore } from './stores/event-store.ts'
import { createHealthStore } from './stores/health-store.ts'
import { createKeyStore } from './stores/key-store.ts'
import { createMaintenanceStore } from './stores/maintenance-store.ts'
import { createSubscriptionStore } from './stores/subscription-store.ts'
import { createVersionStore } from './stores/version-store.ts'

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
  const channel = notify !== false && options.pool !== undefined ? schema : null
  return tracedByEnvironment({
    accounts: createAccountStore(database),
    keys: createKeyStore(database),
    subscriptions: createSubscriptionStore(database, channel),
    deliveryLog: createDeliveryLog(database, reader, channel),
    versions: createVersionStore(database),
    audit: createAuditStore(database),
    admission: createAdmissionStore(database, reader),
    events: createEventStore(database, reader, channel === null ? () => null : createAnnouncer(channel)),
    deliveries: createDeliveryStore(database, schema, replica, channel),
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
      await replica?.checkReplica()
    },
    survey: (latelyMs) => surveyDatabase(database, replica, schema, latelyMs),
  })
}
