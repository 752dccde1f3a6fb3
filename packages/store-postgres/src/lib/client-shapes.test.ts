import type { PGlite, Transaction } from '@electric-sql/pglite'
import type { Client, Pool, PoolClient } from 'pg'
import { describe, expectTypeOf, it } from 'vitest'
import type { SqlClient } from './database.ts'
import type { MigrationClient } from './migrate.ts'
import type { PgPool } from './pg-database.ts'
import type { PGliteLike } from './pglite-database.ts'

describe('the shapes that are asked for', () => {
  it('are those of the real clients', () => {
    expectTypeOf<Pool>().toExtend<PgPool>()
    expectTypeOf<PGlite>().toExtend<PGliteLike>()
    expectTypeOf<Client>().toExtend<SqlClient>()
    expectTypeOf<PoolClient>().toExtend<SqlClient>()
    expectTypeOf<Pool>().toExtend<SqlClient>()
    expectTypeOf<PGlite>().toExtend<SqlClient>()
    expectTypeOf<Transaction>().toExtend<SqlClient>()
    expectTypeOf<PoolClient>().toExtend<MigrationClient>()
    expectTypeOf<PGlite>().toExtend<MigrationClient>()
  })
})
