import { fork } from 'node:child_process'
import { once } from 'node:events'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import { Client, Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { waiting } from '../testing/migrated-store.ts'
import { migrate, readMigrationScript, readMigrations } from './migrate.ts'
import { createPostgresStore } from './postgres-store.ts'

let server: TestPostgres

beforeAll(async () => {
  server = await startPostgres()
})

afterAll(() => server.stop())

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  await client.connect()
  return client
}

describe('migrate', () => {
  it('applies what is missing once, and says what', async () => {
    const client = await connect(await server.createDatabase())
    const names = (await readMigrations()).map(({ name }) => name)
    expect(await migrate(client)).toEqual(names)
    expect(await migrate(client)).toEqual([])
    await client.end()
  })

  it('lets one of four processes that start at once apply them, while the others wait (F35)', async () => {
    const url = await server.createDatabase()
    const children = Array.from({ length: 4 }, () =>
      fork(new URL('../testing/migrate-process.ts', import.meta.url), [url]),
    )
    const applied = await Promise.all(
      children.map(async (child) => {
        const [message] = await once(child, 'message')
        const [code] = await once(child, 'exit')
        expect(code).toBe(0)
        return message
      }),
    )
    const names = (await readMigrations()).map(({ name }) => name)
    expect(applied.sort()).toEqual([[], [], [], names])
  })

  it('keeps two schemas of one database apart', async () => {
    const pool = await server.createPool()
    for (const schema of ['first', 'second']) {
      const client = await pool.connect()
      await migrate(client, { schema })
      client.release()
    }
    const [first, second] = ['first', 'second'].map((schema) => createPostgresStore({ pool, schema }))
    await first!.accounts.create({ id: 'a', name: 'A' })
    expect(await first!.accounts.find('a')).toEqual({ id: 'a', name: 'A' })
    expect(await second!.accounts.find('a')).toBeUndefined()
  })

  it('leaves nothing behind when a migration cannot be applied', async () => {
    const client = await connect(await server.createDatabase())
    await client.query('create schema callboard; create table callboard.events ()')
    await expect(migrate(client)).rejects.toThrow('already exists')
    const { rows } = await client.query(
      `select table_name from information_schema.tables where table_schema = 'callboard'`,
    )
    expect(rows).toEqual([{ table_name: 'events' }])
    await client.end()
  })

  it('says what went wrong when the connection is lost, not that nothing could be rolled back on it', async () => {
    const pool = await server.createPool()
    const client = new Client(pool.options)
    client.on('error', () => undefined)
    await client.connect()
    const holder = await pool.connect()
    await holder.query('create schema callboard; create table callboard.migrations (name text)')
    await holder.query('begin; lock table callboard.migrations')
    const outcome = expect(migrate(client, { lockTimeoutMs: 60_000 })).rejects.toThrow(/terminating connection/)
    await waiting(pool, 1)
    await pool.query(`select pg_terminate_backend(pid) from pg_stat_activity where wait_event_type = 'Lock'`)
    await outcome
    holder.release()
  })

  it('gives up with a typed error when somebody else holds a lock, and can be run again', async () => {
    const url = await server.createDatabase()
    const [client, other] = [await connect(url), await connect(url)]
    await other.query(
      'create schema callboard; create table callboard.migrations (name text primary key, applied_at timestamptz default now())',
    )
    await other.query('begin; lock table callboard.migrations')
    await expect(migrate(client, { lockTimeoutMs: 20 })).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await other.query('rollback')
    expect(await migrate(client)).not.toEqual([])
    await Promise.all([client.end(), other.end()])
  })

  it('begins again after a deadlock with what the platform does meanwhile', async () => {
    const pool = await server.createPool()
    const [client, other] = [await pool.connect(), await pool.connect()]
    const script = await readMigrationScript()
    await client.query(`${script.slice(0, script.indexOf('-- 0010-traces.sql'))} commit`)
    await other.query(
      `begin; set local deadlock_timeout = '1min'; lock table callboard.subscriptions in row exclusive mode`,
    )
    const migrated = migrate(client)
    await waiting(pool, 1)
    // Locked by the migration, which waits for subscriptions.
    await other.query('select from callboard.events; commit')
    expect(await migrated).toContain('0010-traces.sql')
    for (const each of [client, other]) each.release()
  })

  it.each(['Callboard', 'a-b', 'a.b', '', 'a"; drop table x; --', `s${'x'.repeat(63)}`])(
    'refuses the schema name %j',
    async (schema) => {
      await expect(readMigrations(schema)).rejects.toMatchObject({ code: 'CONFIGURATION_INVALID' })
      expect(() => createPostgresStore({ pool: new Pool(), schema })).toThrow('schema must be')
    },
  )

  it('gives SQL that another migration tool can run by itself', async () => {
    const client = await connect(await server.createDatabase())
    for (const { sql } of await readMigrations('elsewhere')) {
      expect(sql.replaceAll(/--.*$/gm, '')).not.toMatch(/\bcallboard\b/)
      await client.query(sql)
    }
    await client.end()
  })
})

describe('the migration script', () => {
  it('leaves behind what migrate does: nothing is missing then, and the store is ready', async () => {
    const url = await server.createDatabase()
    const client = await connect(url)
    const names = (await readMigrations()).map(({ name }) => name)
    await client.query(await readMigrationScript({ schema: 'elsewhere' }))
    expect(await migrate(client, { schema: 'elsewhere' })).toEqual([])
    const pool = new Pool({ connectionString: url })
    await createPostgresStore({ pool, schema: 'elsewhere' }).ready()
    expect((await readMigrationScript({ after: names.at(-2) })).match(/^-- .*\.sql$/gm)).toEqual([`-- ${names.at(-1)}`])
    await expect(readMigrationScript({ after: 'none' })).rejects.toMatchObject({ code: 'CONFIGURATION_INVALID' })
    await pool.end()
    await client.end()
  })
})

describe('ready', () => {
  it('says that the schema is not migrated', async () => {
    const store = createPostgresStore({ pool: await server.createPool() })
    await expect(store.ready()).rejects.toMatchObject({
      code: 'CONFIGURATION_INVALID',
      message: expect.stringContaining('migrate()'),
    })
  })

  it('asks for one of pool and pglite', () => {
    expect(() => createPostgresStore({})).toThrow('one of them')
  })
})
