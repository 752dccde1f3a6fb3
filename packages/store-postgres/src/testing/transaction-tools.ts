import type { PGlite } from '@electric-sql/pglite'
import { defineEntity, MikroORM, p } from '@mikro-orm/postgresql'
import { PrismaPg } from '@prisma/adapter-pg'
import { sql } from 'drizzle-orm'
import { drizzle as drizzleOnPg } from 'drizzle-orm/node-postgres'
import { type PgDatabase, type PgQueryResultHKT, pgTable, text } from 'drizzle-orm/pg-core'
import { drizzle as drizzleOnPglite } from 'drizzle-orm/pglite'
import { drizzle as drizzleOnPostgresJs } from 'drizzle-orm/postgres-js'
import knex from 'knex'
import { CamelCasePlugin, Kysely, ParseJSONResultsPlugin, PGliteDialect, PostgresDialect } from 'kysely'
import { Pool } from 'pg'
import { PrismaPGlite } from 'pglite-prisma-adapter'
import postgres from 'postgres'
import { DataSource } from 'typeorm'
import type { SqlClient } from '../lib/database/database.ts'
import { fromDrizzle } from '../lib/transactions/from-drizzle.ts'
import { fromKnex } from '../lib/transactions/from-knex.ts'
import { fromKysely } from '../lib/transactions/from-kysely.ts'
import { fromMikroOrm } from '../lib/transactions/from-mikro-orm.ts'
import { fromPostgresJs } from '../lib/transactions/from-postgres-js.ts'
import { fromPrisma } from '../lib/transactions/from-prisma.ts'
import { fromTypeOrm } from '../lib/transactions/from-type-orm.ts'
import { type OrdersClient, openPrisma } from './prisma-client.ts'

/** A library for transactions, connected to a database in which {@link ORDERS} was run. */
export interface TransactionTool {
  /** Commits when `work` resolves, and rolls back when it rejects. `sell` inserts an order through the library. */
  transaction(work: (tx: SqlClient, sell: (buyerEmail: string) => Promise<unknown>) => Promise<void>): Promise<unknown>
  close(): Promise<unknown>
}

export const ORDERS = 'create table orders (buyer_email text primary key)'

interface Tables {
  orders: { buyerEmail: string }
}

const orders = pgTable('orders', { buyerEmail: text('buyer_email').primaryKey() })

const Order = defineEntity({ name: 'Order', tableName: 'orders', properties: { buyerEmail: p.string().primary() } })

/**
 * Each library that can rename result columns is set up to do so. This tests that the columns of Callboard's own
 * statements keep their names.
 */
export const toolsOnPostgres: Readonly<Record<string, (url: string) => TransactionTool | Promise<TransactionTool>>> = {
  'postgres.js': (url) => {
    const client = postgres(url, { max: 2, transform: postgres.camel })
    return {
      transaction: (work) =>
        client.begin((tx) => work(fromPostgresJs(tx), (buyerEmail) => tx`insert into orders ${tx({ buyerEmail })}`)),
      close: () => endPostgresJs(client),
    }
  },
  'Drizzle on pg': (url) => {
    const pool = openPool(url)
    return { ...drizzleTool(drizzleOnPg(pool, { casing: 'camelCase' })), close: () => pool.end() }
  },
  'Drizzle on postgres.js': (url) => {
    const client = postgres(url, { max: 2 })
    return { ...drizzleTool(drizzleOnPostgresJs(client)), close: () => endPostgresJs(client) }
  },
  Knex: (url) => {
    const db = knex({ client: 'pg', connection: url, pool: { min: 0, max: 2 } })
    return {
      transaction: (work) =>
        db.transaction((trx) =>
          work(fromKnex(trx), (buyerEmail) => trx('orders').insert({ buyer_email: buyerEmail }).then()),
        ),
      close: () => db.destroy(),
    }
  },
  MikroORM: async (url) => {
    const orm = await MikroORM.init({ entities: [Order], clientUrl: url, pool: { min: 0, max: 2 } })
    return {
      transaction: (work) =>
        orm.em.fork().transactional((em) => work(fromMikroOrm(em), (buyerEmail) => em.insert(Order, { buyerEmail }))),
      // Not awaited, for the same reason as in `endPostgresJs`.
      close: async () => void orm.close(),
    }
  },
  TypeORM: async (url) => {
    const poolErrorHandler = () => undefined
    const source = await new DataSource({ type: 'postgres', url, poolSize: 2, poolErrorHandler }).initialize()
    return {
      transaction: (work) =>
        source.transaction((manager) =>
          work(fromTypeOrm(manager), (buyerEmail) => manager.query('insert into orders values ($1)', [buyerEmail])),
        ),
      close: () => source.destroy(),
    }
  },
  Kysely: (url) => kyselyTool(new Kysely({ dialect: new PostgresDialect({ pool: openPool(url) }), plugins })),
  Prisma: async (url) => prismaTool(await openPrisma(new PrismaPg({ connectionString: url, max: 2 }))),
}

export const toolsOnPglite: Readonly<Record<string, (pglite: PGlite) => TransactionTool | Promise<TransactionTool>>> = {
  PGlite: (pglite) => ({
    transaction: (work) =>
      pglite.transaction((tx) => work(tx, (buyerEmail) => tx.query('insert into orders values ($1)', [buyerEmail]))),
    close: () => pglite.close(),
  }),
  'Drizzle on PGlite': (pglite) => ({ ...drizzleTool(drizzleOnPglite(pglite)), close: () => pglite.close() }),
  'Kysely on PGlite': (pglite) => kyselyTool(new Kysely({ dialect: new PGliteDialect({ pglite }), plugins })),
  'Prisma on PGlite': async (pglite) => {
    const prisma = prismaTool(await openPrisma(new PrismaPGlite(pglite)))
    return { ...prisma, close: () => prisma.close().then(() => pglite.close()) }
  },
}

/** Adds an error listener to each client. Drizzle and Kysely add none, so a lost connection would end the process. */
function openPool(url: string): Pool {
  const pool = new Pool({ connectionString: url, max: 2 })
  return pool.on('connect', (client) => client.on('error', () => undefined))
}

/** Does not wait until the pool has ended, because after a lost connection that would take forever. */
function endPostgresJs(client: postgres.Sql): Promise<void> {
  return client.end({ timeout: 0 })
}

const plugins = [new CamelCasePlugin(), new ParseJSONResultsPlugin()]

function kyselyTool(db: Kysely<Tables>): TransactionTool {
  return {
    transaction: (work) =>
      db
        .transaction()
        .execute((trx) =>
          work(fromKysely(trx), (buyerEmail) => trx.insertInto('orders').values({ buyerEmail }).execute()),
        ),
    close: () => db.destroy(),
  }
}

function drizzleTool(db: PgDatabase<PgQueryResultHKT>): Pick<TransactionTool, 'transaction'> {
  return {
    transaction: (work) =>
      db.transaction((tx) => work(fromDrizzle(tx, sql), (buyerEmail) => tx.insert(orders).values({ buyerEmail }))),
  }
}

function prismaTool(prisma: OrdersClient): TransactionTool {
  return {
    transaction: (work) =>
      prisma.$transaction((tx) => work(fromPrisma(tx), (buyerEmail) => tx.order.create({ data: { buyerEmail } })), {
        timeout: 60_000,
      }),
    close: () => prisma.$disconnect(),
  }
}
