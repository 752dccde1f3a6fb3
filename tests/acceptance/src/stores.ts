import type { Store } from '@callboard/core/store'
import { createMemoryStore } from '@callboard/store-memory'
import { createPostgresStore, migrate } from '@callboard/store-postgres'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import { PGlite } from '@electric-sql/pglite'
import { Pool } from 'pg'
import { afterAll, beforeAll } from 'vitest'

/** An open transaction of the platform. */
export interface Transaction {
  readonly tx: object
  commit(): Promise<void>
  rollback(): Promise<void>
}

/** An empty store for one test. */
export interface StoreFixture {
  readonly store: Store<unknown>
  /** Moves the store's clock forward. */
  advance(ms: number): Promise<void>
  cleanup(): Promise<void>
}

export interface SqlFixture extends StoreFixture {
  begin(): Promise<Transaction>
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>
  /** All rows of all tables, as one string. */
  everything(): Promise<string>
}

export interface RealFixture extends SqlFixture {
  /** The database's URL, for other processes. */
  readonly url: string
  readonly schema: string
  /** Another store on the same data, with its own connections, like the store of another process. */
  another(): Store<unknown>
}

export async function memoryFixture(): Promise<StoreFixture> {
  let moved = 0
  return {
    store: createMemoryStore({ now: () => Date.now() + moved }),
    async advance(ms) {
      moved += ms
    },
    async cleanup() {},
  }
}

/** Starts a Postgres for the calling test file; each fixture has its own schema. */
export function postgresFixtures(): () => Promise<RealFixture> {
  let server: TestPostgres
  let pool: Pool
  let url = ''
  let schemas = 0
  beforeAll(async () => {
    server = await startPostgres()
    url = await server.createDatabase()
    // One pool per file, because connecting takes longer than most tests.
    pool = new Pool({ connectionString: url, max: 10 })
    // Unlimited, because each store adds a listener.
    pool.setMaxListeners(0)
  })
  afterAll(async () => {
    await pool?.end()
    await server?.stop()
  })
  return async () => {
    const schema = `callboard_${++schemas}`
    const others: Pool[] = []
    const open = openTransactions()
    const client = await pool.connect()
    await migrate(client, { schema })
    client.release()
    const query = (text: string, values?: unknown[]) => pool.query<Record<string, unknown>>(text, values)
    return {
      url,
      schema,
      store: createPostgresStore({ pool, schema }),
      another() {
        const other = new Pool({ connectionString: url, max: 10 })
        others.push(other)
        return createPostgresStore({ pool: other, schema })
      },
      query: (text, values) => query(text.replaceAll('callboard.', `${schema}.`), values),
      advance: clockOf(schema, query),
      everything: () => dump(schema, query),
      async begin() {
        const tx = await pool.connect()
        await tx.query('begin')
        return open.add(tx, async (how) => {
          await tx.query(how)
          tx.release()
        })
      },
      async cleanup() {
        await open.rollback()
        await pool.query(`drop schema ${schema} cascade`)
        await Promise.all(others.map((each) => each.end()))
      },
    }
  }
}

/** Creates a PGlite for the calling test file; each fixture has its own schema. */
export function pgliteFixtures(): () => Promise<SqlFixture> {
  let database: PGlite
  let schemas = 0
  beforeAll(async () => {
    database = await PGlite.create()
  })
  afterAll(() => database?.close())
  return async () => {
    const schema = `callboard_${++schemas}`
    await migrate(database, { schema })
    const open = openTransactions()
    const query = (text: string, values?: unknown[]) => database.query<Record<string, unknown>>(text, values)
    return {
      store: createPostgresStore({ pglite: database, schema }),
      query: (text, values) => query(text.replaceAll('callboard.', `${schema}.`), values),
      advance: clockOf(schema, query),
      everything: () => dump(schema, query),
      begin: () => beginOn(database, open),
      async cleanup() {
        await open.rollback()
        await database.exec(`drop schema ${schema} cascade`)
      },
    }
  }
}

type Query = (text: string, values?: unknown[]) => Promise<{ rows: Record<string, unknown>[] }>

/**
 * Moves the clock that all SQL of a schema reads, by replacing its function `clock()`. The new function must be in the
 * language of the old one, because a concurrent call may run the new text in the old language.
 */
function clockOf(schema: string, query: Query): (ms: number) => Promise<void> {
  let moved = 0
  return async (ms) => {
    moved += ms
    await query(
      `create or replace function ${schema}.clock() returns timestamptz language plpgsql stable as $$ begin return clock_timestamp() + interval '${moved} ms'; end $$`,
    )
  }
}

async function dump(schema: string, query: Query): Promise<string> {
  const { rows: tables } = await query(
    `select table_name from information_schema.tables where table_schema = $1 and table_type = 'BASE TABLE' order by 1`,
    [schema],
  )
  const texts: string[] = []
  for (const { table_name: table } of tables) {
    const { rows } = await query(`select t::text as row from ${schema}."${String(table)}" t`)
    texts.push(...rows.map(({ row }) => `${String(table)} ${String(row)}`))
  }
  return texts.join('\n')
}

/** Tracks open transactions, because one that a failed test leaves open would block the test's cleanup for ever. */
interface OpenTransactions {
  add(tx: object, end: (how: 'commit' | 'rollback') => Promise<void>): Transaction
  rollback(): Promise<void>
}

function openTransactions(): OpenTransactions {
  const open = new Set<Transaction>()
  return {
    add(tx, end) {
      const ended = (how: 'commit' | 'rollback') => (): Promise<void> => {
        open.delete(transaction)
        return end(how)
      }
      const transaction: Transaction = { tx, commit: ended('commit'), rollback: ended('rollback') }
      open.add(transaction)
      return transaction
    },
    async rollback() {
      for (const transaction of open) await transaction.rollback()
    },
  }
}

/** PGlite's transactions are callbacks; this one stays open until `commit` or `rollback` is called. */
function beginOn(database: PGlite, open: OpenTransactions): Promise<Transaction> {
  return new Promise((begun, failed) => {
    const run = database.transaction(async (tx) => {
      const how = await new Promise<'commit' | 'rollback'>((end) => {
        const transaction = open.add(tx, async (as) => {
          end(as)
          await run
        })
        begun(transaction)
      })
      if (how === 'rollback') await tx.rollback()
    })
    run.catch(failed)
  })
}
