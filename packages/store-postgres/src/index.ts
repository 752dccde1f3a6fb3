export { createPostgresRateLimiter } from './lib/admission/postgres-rate-limiter.ts'
export type { SqlClient } from './lib/database/database.ts'
export type { DatabaseOptions } from './lib/database/open-database.ts'
export type { PgPool } from './lib/database/pg-pool.ts'
export type { PGliteLike } from './lib/database/pglite-database.ts'
export { createPostgresStore, type PostgresStore, type PostgresStoreOptions } from './lib/postgres-store.ts'
export type { ReaderOptions } from './lib/replica/open-replica.ts'
export { type GrantsOptions, grantsSql } from './lib/schema/grants.ts'
export {
  type MigrateOptions,
  type Migration,
  type MigrationClient,
  type MigrationScriptOptions,
  migrate,
  readMigrationScript,
  readMigrations,
} from './lib/schema/migrate.ts'
export { type DrizzleSqlTag, type DrizzleTransaction, fromDrizzle } from './lib/transactions/from-drizzle.ts'
export { fromKnex, type KnexTransaction } from './lib/transactions/from-knex.ts'
export { fromKysely, type KyselyTransaction } from './lib/transactions/from-kysely.ts'
export { fromMikroOrm, type MikroOrmTransaction } from './lib/transactions/from-mikro-orm.ts'
export { fromPostgresJs, type PostgresJsTransaction } from './lib/transactions/from-postgres-js.ts'
export { fromPrisma, type PrismaTransaction } from './lib/transactions/from-prisma.ts'
export { fromTypeOrm, type TypeOrmTransaction } from './lib/transactions/from-type-orm.ts'
