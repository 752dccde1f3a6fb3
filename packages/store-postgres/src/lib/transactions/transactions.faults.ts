import { inspect } from 'node:util'
import { isCallboardError } from '@callboard/core'
import { describeTransactions, ENTRY, type TransactionFixture } from '@callboard/store-conformance'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import { PGlite } from '@electric-sql/pglite'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import knex from 'knex'
import { Kysely, PostgresDialect } from 'kysely'
import { Pool } from 'pg'
import postgres from 'postgres'
import { DataSource } from 'typeorm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { holdOpen } from '../../testing/hold-open.ts'
import { eventDraft } from '../../testing/inputs.ts'
import { ORDERS, type TransactionTool, toolsOnPglite, toolsOnPostgres } from '../../testing/transaction-tools.ts'
import type { SqlClient } from '../database/database.ts'
import { createPostgresStore, type PostgresStore } from '../postgres-store.ts'
import { migrate } from '../schema/migrate.ts'
import { fromDrizzle } from './from-drizzle.ts'
import { fromKnex } from './from-knex.ts'
import { fromKysely } from './from-kysely.ts'
import { fromMikroOrm } from './from-mikro-orm.ts'
import { fromPostgresJs } from './from-postgres-js.ts'
import { fromPrisma } from './from-prisma.ts'
import { fromTypeOrm } from './from-type-orm.ts'

let server: TestPostgres

beforeAll(async () => {
  server = await startPostgres()
})

afterAll(() => server.stop())

/** A database with a table of orders, and the library that runs the platform's transactions. */
interface Platform {
  readonly tool: TransactionTool
  /** Migrates a schema and opens a store in it. */
  openStore(schema: string): Promise<PostgresStore>
  query(sql: string): Promise<{ rows: unknown[] }>
  close(): Promise<unknown>
}

for (const [name, connect] of Object.entries(toolsOnPostgres))
  describeTool(name, async () => {
    const url = await server.createDatabase()
    const pool = new Pool({ connectionString: url })
    const tool = await connect(url)
    return {
      tool,
      async openStore(schema) {
        const client = await pool.connect()
        await migrate(client, { schema })
        client.release()
        return createPostgresStore({ pool, schema })
      },
      query: (sql) => pool.query(sql),
      close: () => Promise.all([tool.close(), pool.end()]),
    }
  })

for (const [name, connect] of Object.entries(toolsOnPglite))
  describeTool(name, async () => {
    const pglite = await PGlite.create()
    const tool = await connect(pglite)
    return {
      tool,
      async openStore(schema) {
        await migrate(pglite, { schema })
        return createPostgresStore({ pglite, schema })
      },
      query: (sql) => pglite.query(sql),
      close: () => tool.close(),
    }
  })

function describeTool(name: string, start: () => Promise<Platform>): void {
  describe(`publishing in a transaction of ${name}`, () => {
    let platform: Platform
    let schemas = 0

    beforeAll(async () => {
      platform = await start()
      await platform.query(ORDERS)
    })
    afterAll(() => platform?.close())

    const fixture = async (): Promise<TransactionFixture<SqlClient>> => {
      const schema = `callboard_${++schemas}`
      return {
        store: await platform.openStore(schema),
        advance: () => undefined,
        begin: () => holdOpen((work) => platform.tool.transaction(work)),
        cleanup: async () => void (await platform.query(`drop schema ${schema} cascade`)),
      }
    }

    const orders = async (): Promise<unknown[]> => (await platform.query('select buyer_email from orders')).rows

    it('commits an order and its event together, or neither', async () => {
      const { store, cleanup } = await fixture()
      await store.accounts.createAccounts([{ id: 'a', name: 'A', entry: ENTRY }])
      const [kept, lost] = [eventDraft(), eventDraft()]
      await platform.tool.transaction(async (tx, sell) => {
        await sell('ada@example.com')
        await store.events.publishDrafts([kept], tx)
      })
      const declined = platform.tool.transaction(async (tx, sell) => {
        await sell('bob@example.com')
        await store.events.publishDrafts([lost], tx)
        throw new Error('the card was declined')
      })
      await expect(declined).rejects.toThrow('the card was declined')
      expect(await orders()).toEqual([{ buyer_email: 'ada@example.com' }])
      expect(await store.events.find('a', 'live', kept.id)).toBeDefined()
      expect(await store.events.find('a', 'live', lost.id)).toBeUndefined()
      await cleanup()
    })

    it('stores many events at once, whatever their strings, keys and ids', async () => {
      const { store, cleanup } = await fixture()
      await store.accounts.createAccounts([{ id: 'a', name: 'A', entry: ENTRY }])
      const texts = ['"', '\\', '{a,b}', '$1', "'", 'Ä 😀'].map((text) => ({
        ...eventDraft('s'),
        tail: `,"note":${JSON.stringify(text)}}`,
        patch: `7,4:${JSON.stringify(text)}`,
        personId: text,
      }))
      const marked = texts.map((draft, index) => ({ ...draft, ...marks(index) }))
      await platform.tool.transaction(async (tx) => {
        await store.events.publishDrafts(texts, tx)
        await store.events.publishDrafts(marked, tx)
      })
      for (const { id, tail, patch } of [...texts, ...marked]) {
        const found = await store.events.find('a', 'live', id)
        expect([found?.body.endsWith(tail), found?.patch]).toEqual([true, patch])
      }
      await cleanup()
    })

    it('does not reveal the content of an event that could not be stored', async () => {
      const { store, cleanup } = await fixture()
      await store.accounts.createAccounts([{ id: 'a', name: 'A', entry: ENTRY }])
      const refused = platform.tool.transaction(async (tx) => {
        await store.events.publishDrafts([{ ...eventDraft(), type: '\0', patch: 'ada@example.com' }], tx)
      })
      const error = await refused.catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(Error)
      expect(inspect(error, { depth: 9 })).not.toContain('ada@example.com')
      await cleanup()
    })

    it('reports that the database is not migrated', async () => {
      const { store, cleanup } = await fixture()
      await cleanup()
      const refused = platform.tool.transaction(async (tx) => {
        await store.events.publishDrafts([eventDraft()], tx)
      })
      await expect(refused).rejects.toSatisfy((error) => isCallboardError(error, 'CONFIGURATION_INVALID'))
    })

    // PGlite has only one connection.
    if (name in toolsOnPostgres)
      it('reports a conflict with another transaction', async () => {
        const { store, cleanup } = await fixture()
        await store.accounts.createAccounts([{ id: 'a', name: 'A', entry: ENTRY }])
        const met = platform.tool.transaction(async (tx) => {
          await tx.query('set transaction isolation level repeatable read')
          await tx.query('select 1 as snapshot')
          await store.events.publishDrafts([eventDraft('s')])
          await store.events.publishDrafts([eventDraft('s')], tx)
        })
        await expect(met).rejects.toSatisfy((error) => isCallboardError(error, 'TRANSACTION_CONFLICT'))
        await cleanup()
      })

    describeTransactions(name, fixture)
  })
}

function marks(index: number) {
  const id = eventDraft().id
  return index % 2 === 0
    ? { id, idempotencyKey: `k${index}`, digests: ['k1.x'] }
    : { id, ownId: true, digests: ['k1.x'], sequence: 70 + index }
}

describe('something that is not a transaction', () => {
  it.each([
    // @ts-expect-error because the types refuse it too
    ['postgres.js', () => fromPostgresJs(postgres())],
    // @ts-expect-error because the types refuse it too
    ['Drizzle', () => fromDrizzle(drizzle(new Pool()), sql)],
    // @ts-expect-error because the types refuse it too
    ['Knex', () => fromKnex(knex({ client: 'pg' }))],
    ['TypeORM', () => fromTypeOrm(new DataSource({ type: 'postgres' }).manager)],
    ['MikroORM', () => fromMikroOrm({ getTransactionContext: () => undefined })],
    // @ts-expect-error because the types refuse it too
    ['nobody', () => fromDrizzle(undefined, sql)],
    // @ts-expect-error because the types refuse it too
    ['Kysely', () => fromKysely(new Kysely({ dialect: new PostgresDialect({ pool: new Pool() }) }))],
    // @ts-expect-error because the types refuse it too
    ['Prisma', () => fromPrisma({ $queryRawUnsafe: () => Promise.resolve([]), $connect: () => Promise.resolve() })],
  ])('is refused: a database of %s', (_, join: () => SqlClient) => {
    expect(join).toThrow(/^tx must be the transaction that .+ passes to its callback\.$/)
  })
})
