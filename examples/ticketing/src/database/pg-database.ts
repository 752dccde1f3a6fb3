import { createPostgresStore, migrate, type SqlClient } from '@callboard/store-postgres'
import { Pool, type PoolClient } from 'pg'
import { StartError } from '../start-error.ts'
import { type Database, rowsOf } from './database.ts'
import { migrateShop } from './migrate-shop.ts'

/** Connects to a Postgres server. Any number of platform processes can share it. */
export async function openPgDatabase(url: string): Promise<Database> {
  const pool = new Pool({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 15_000,
    keepAlive: true,
  })
  const store = createPostgresStore({ pool })
  const client = await connect(pool, url)
  try {
    await migrate(client)
    await migrateShop(client)
  } finally {
    client.release()
  }
  return {
    place: `Postgres on ${placeOf(url)}`,
    store,
    query: (row, text, values) => rowsOf(pool, row, text, values),
    transaction: (work) => transaction(pool, work),
    close: () => pool.end(),
  }
}

async function transaction<Result>(pool: Pool, work: (tx: SqlClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect()
  let broken: boolean | undefined
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => {
      broken = true
    })
    throw error
  } finally {
    client.release(broken)
  }
}

async function connect(pool: Pool, url: string): Promise<PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    await pool.end()
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no answer'
    // A pooler that does not support a start-up parameter fails with this code, and names the parameter in the message.
    const reason = code === '08P01' && error instanceof Error ? `${code}, ${error.message}` : code
    throw new StartError(`The database in DATABASE_URL (${placeOf(url)}) cannot be reached: ${reason}.`)
  }
}

/** The host and the database, without user and password. */
function placeOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}
