import type { PGlite, Transaction } from '@electric-sql/pglite'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { SQL } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { PgQueryResultHKT, PgTransaction } from 'drizzle-orm/pg-core'
import type { Knex } from 'knex'
import type { ControlledTransaction, Kysely, Transaction as KyselyTrx } from 'kysely'
import type { Client, Pool, PoolClient } from 'pg'
import type { Sql, TransactionSql } from 'postgres'
import type { EntityManager } from 'typeorm'
import { describe, expectTypeOf, it } from 'vitest'
import type { MigrationClient } from '../schema/migrate.ts'
import type { DrizzleTransaction } from '../transactions/from-drizzle.ts'
import type { KnexTransaction } from '../transactions/from-knex.ts'
import type { KyselyTransaction } from '../transactions/from-kysely.ts'
import type { MikroOrmTransaction } from '../transactions/from-mikro-orm.ts'
import type { PostgresJsTransaction } from '../transactions/from-postgres-js.ts'
import type { PrismaTransaction } from '../transactions/from-prisma.ts'
import type { TypeOrmTransaction } from '../transactions/from-type-orm.ts'
import type { SqlClient } from './database.ts'
import type { PgPool } from './pg-pool.ts'
import type { PGliteLike } from './pglite-database.ts'

describe('the types of clients', () => {
  it('accept the real clients', () => {
    expectTypeOf<Pool>().toExtend<PgPool>()
    expectTypeOf<PGlite>().toExtend<PGliteLike>()
    expectTypeOf<Client>().toExtend<SqlClient>()
    expectTypeOf<PoolClient>().toExtend<SqlClient>()
    expectTypeOf<PGlite>().toExtend<SqlClient>()
    expectTypeOf<Transaction>().toExtend<SqlClient>()
    expectTypeOf<PoolClient>().toExtend<MigrationClient>()
    expectTypeOf<PGlite>().toExtend<MigrationClient>()
  })

  it('accept transactions, and nothing that would publish outside one', () => {
    expectTypeOf<Pool>().not.toExtend<SqlClient>()
    expectTypeOf<Pool>().not.toExtend<MigrationClient>()
    expectTypeOf<TransactionSql>().toExtend<PostgresJsTransaction>()
    expectTypeOf<Sql>().not.toExtend<PostgresJsTransaction>()
    expectTypeOf<KyselyTrx<{ orders: { id: string } }>>().toExtend<KyselyTransaction>()
    expectTypeOf<ControlledTransaction<{ orders: { id: string } }>>().toExtend<KyselyTransaction>()
    expectTypeOf<Kysely<{ orders: { id: string } }>>().not.toExtend<KyselyTransaction>()
    expectTypeOf<PgTransaction<PgQueryResultHKT>>().toExtend<DrizzleTransaction<SQL>>()
    expectTypeOf<NodePgDatabase>().not.toExtend<DrizzleTransaction<SQL>>()
    expectTypeOf<Knex.Transaction>().toExtend<KnexTransaction>()
    expectTypeOf<Knex>().not.toExtend<KnexTransaction>()
    expectTypeOf<SqlEntityManager>().toExtend<MikroOrmTransaction>()
    expectTypeOf<EntityManager>().toExtend<TypeOrmTransaction>()
    // The members of Prisma's generated client that decide whether it is accepted as a transaction.
    interface PrismaTx {
      $queryRawUnsafe<T = unknown>(query: string, ...values: unknown[]): Promise<T>
    }
    expectTypeOf<PrismaTx>().toExtend<PrismaTransaction>()
    expectTypeOf<PrismaTx & { $connect(): Promise<void> }>().not.toExtend<PrismaTransaction>()
  })
})
