export type { SqlClient } from './lib/database.ts'
export { type GrantsOptions, grantsSql } from './lib/grants.ts'
export {
  type MigrateOptions,
  type Migration,
  type MigrationClient,
  type MigrationScriptOptions,
  migrate,
  readMigrationScript,
  readMigrations,
} from './lib/migrate.ts'
export type { DatabaseOptions } from './lib/open-database.ts'
export type { ReaderOptions } from './lib/open-replica.ts'
export type { PgPool } from './lib/pg-pool.ts'
export type { PGliteLike } from './lib/pglite-database.ts'
export { createPostgresRateLimiter } from './lib/postgres-rate-limiter.ts'
export { createPostgresStore, type PostgresStore, type PostgresStoreOptions } from './lib/postgres-store.ts'
export { type DrizzleSqlTag, type DrizzleTransaction, fromDrizzle } from './lib/transactions/from-drizzle.ts'
export { fromKnex, type KnexTransaction } from './lib/transactions/from-knex.ts'
export { fromKysely, type KyselyTransaction } from './lib/transactions/from-kysely.ts'
export { fromMikroOrm, type MikroOrmTransaction } from './lib/transactions/from-mikro-orm.ts'
export { fromPostgresJs, type PostgresJsTransaction } from './lib/transactions/from-postgres-js.ts'
export { fromPrisma, type PrismaTransaction } from './lib/transactions/from-prisma.ts'
export { fromTypeOrm, type TypeOrmTransaction } from './lib/transactions/from-type-orm.ts'
