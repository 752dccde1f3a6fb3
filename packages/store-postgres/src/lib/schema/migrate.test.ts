import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type AuditActor, MODES, type SubscriptionRecord } from '@callboard/core'
import { DISABLED_REASONS, type Lane, type LaneChange } from '@callboard/core/store'
import { ENTRY } from '@callboard/store-conformance'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import { Client, Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migratedStore, waiting } from '../../testing/migrated-store.ts'
import { createPostgresStore } from '../postgres-store.ts'
import { RESERVED_WORDS } from '../sql/schema-name.ts'
import { type MigrationClient, migrate, readMigrationScript, readMigrations } from './migrate.ts'

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

/** Migrates, then deletes the record of one migration, so that it is missing again. */
async function leaveOneOut(client: MigrationClient): Promise<void> {
  await migrate(client)
  await client.query(`delete from callboard.migrations where name = 'publish_event@1'`)
}

describe('migrate', () => {
  it('applies each missing migration once, and returns its name', async () => {
    const client = await connect(await server.createDatabase())
    const names = (await readMigrations()).map(({ name }) => name)
    expect(await migrate(client)).toEqual(names)
    expect(await migrate(client)).toEqual([])
    await client.end()
  })

  it('lets one of four processes that start at the same time apply the migrations, while the others wait (F35)', async () => {
    const url = await server.createDatabase()
    const children = Array.from({ length: 4 }, () =>
      fork(new URL('../../testing/migrate-process.ts', import.meta.url), [url]),
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

  it('refuses a pool, and anything else that is not one connection', async () => {
    const url = await server.createDatabase()
    const clients = [await connect(url), await connect(url)] as const
    const [one] = clients
    let turn = 0
    const wrong = [
      new Pool({ connectionString: url }),
      { query: (text: string) => clients[turn++ % 2 === 0 ? 0 : 1].query(text) },
      { query: (text: string) => one.query(text).then(({ rows }) => rows) },
      Promise.resolve(one),
      undefined,
    ]
    // @ts-expect-error because the types refuse most of them too
    for (const each of wrong) await expect(migrate(each)).rejects.toMatchObject({ code: 'CONFIGURATION_INVALID' })
    await Promise.all(clients.map((client) => client.end()))
  })

  it('lets a column hold exactly the values that core names for it', async () => {
    const pool = await server.createPool()
    await migratedStore(pool)
    const { rows } = await pool.query<{ column: string; values: string[] }>(
      `select c.conrelid::regclass || '.' || a.attname as column,
        array(select m[1] from regexp_matches(pg_get_constraintdef(c.oid), '''([^'']+)''', 'g') m) as values
      from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
      where c.contype = 'c' and c.connamespace = 'callboard'::regnamespace`,
    )
    const found = Object.fromEntries(rows.map(({ column, values }) => [column, [...values].sort()]))
    const named = <Value extends string>(values: Readonly<Record<Value, true>>) => Object.keys(values).sort()
    expect(found).toMatchObject({
      'callboard.api_keys.mode': [...MODES],
      'callboard.subscriptions.source': named<SubscriptionRecord['source']>({ api: true, dashboard: true }),
      'callboard.subscriptions.disabled_reason': [...DISABLED_REASONS].sort(),
      'callboard.subscriptions.ordering': named<SubscriptionRecord['ordering']>({ none: true, subject: true }),
      'callboard.lanes.state': named<Lane['state']>({ idle: true, leased: true, paused: true, disabled: true }),
      'callboard.ended_deliveries.state': named<LaneChange['ended'][number]['state']>({
        ...{ exhausted: true, skipped: true },
        ...{ expired: true, disabled: true },
      }),
      'callboard.audit_entries.actor': named<AuditActor['type']>({
        ...{ key: true, viewer: true, operator: true },
        ...{ platform: true, worker: true },
      }),
    })
  })

  it('keeps two schemas of one database apart', async () => {
    const pool = await server.createPool()
    for (const schema of ['first', 'second']) {
      const client = await pool.connect()
      await migrate(client, { schema })
      client.release()
    }
    const [first, second] = ['first', 'second'].map((schema) => createPostgresStore({ pool, schema }))
    await first!.accounts.createAccounts([{ id: 'a', name: 'A', entry: ENTRY }])
    expect(await first!.accounts.find('a')).toEqual({ id: 'a', name: 'A' })
    expect(await second!.accounts.find('a')).toBeUndefined()
  })

  it('lists existing tables and functions whose names it needs, and changes nothing', async () => {
    const client = await connect(await server.createDatabase())
    await client.query(
      'create schema callboard; create table callboard.feed (); create view callboard.events as select',
    )
    await expect(migrate(client)).rejects.toMatchObject({
      code: 'CONFIGURATION_INVALID',
      message: expect.stringContaining('but whose names it needs: events, feed. Migrate into a different schema'),
    })
    const { rows } = await client.query(`select relname from pg_class where relnamespace = 'callboard'::regnamespace`)
    expect(rows).toEqual([{ relname: 'feed' }, { relname: 'events' }])
    await client.end()
  })

  it("does not take another tool's table `migrations` for its own", async () => {
    const client = await connect(await server.createDatabase())
    await client.query('create schema callboard; create table callboard.migrations (id int, name text)')
    await expect(migrate(client)).rejects.toThrow('but whose names it needs: migrations.')
    await client.end()
  })

  it('works in a schema that a DBA has created, for a role that may not create schemas', async () => {
    const url = new URL(await server.createDatabase())
    const admin = await connect(url.href)
    await admin.query(`create role guest login password 'guest'`)
    url.username = 'guest'
    url.password = 'guest'
    const guest = await connect(url.href)
    await expect(migrate(guest)).rejects.toMatchObject({
      code: 'CONFIGURATION_INVALID',
      message: expect.stringContaining(
        'create schema if not exists callboard; grant usage, create on schema callboard',
      ),
    })
    await admin.query('create schema if not exists callboard; grant usage, create on schema callboard to guest')
    expect(await migrate(guest)).toContain('0001-initial.sql')
    expect(await migrate(guest)).toEqual([])
    await Promise.all([admin.end(), guest.end()])
  })

  it('re-creates a function whose revision is missing, and leaves a later revision alone', async () => {
    const client = await connect(await server.createDatabase())
    await migrate(client)
    const publishEvent = async (): Promise<string> => {
      const { rows } = await client.query(`select prosrc from pg_proc where proname = 'publish_event'`)
      expect(rows).toHaveLength(1)
      return rows[0].prosrc
    }
    const present = await publishEvent()
    const change = `do $$ declare f text := pg_get_functiondef('callboard.publish_event'::regproc);
      begin execute replace(f, 'return null', 'return 0'); end $$`
    await client.query(`${change}; delete from callboard.migrations where name = 'publish_event@1'`)
    expect(await publishEvent()).not.toBe(present)
    expect(await migrate(client)).toEqual(['publish_event@1'])
    expect(await publishEvent()).toBe(present)

    await client.query(
      `${change}; update callboard.migrations set name = 'publish_event@2' where name = 'publish_event@1'`,
    )
    expect(await migrate(client)).toEqual([])
    expect(await publishEvent()).not.toBe(present)
    await client.end()
  })

  it('reports that the connection was lost, not that the rollback failed on it', async () => {
    const pool = await server.createPool()
    const client = new Client(pool.options)
    client.on('error', () => undefined)
    await client.connect()
    const holder = await pool.connect()
    await leaveOneOut(holder)
    await holder.query('begin; lock table callboard.migrations')
    const outcome = expect(migrate(client, { lockTimeoutMs: 60_000 })).rejects.toThrow(/terminating connection/)
    await waiting(pool, 1)
    await pool.query(`select pg_terminate_backend(pid) from pg_stat_activity where wait_event_type = 'Lock'`)
    await outcome
    holder.release()
  })

  it('throws a typed error if another transaction keeps holding a lock, and can be run again', async () => {
    const url = await server.createDatabase()
    const [client, other] = [await connect(url), await connect(url)]
    await leaveOneOut(other)
    await other.query('begin; lock table callboard.migrations')
    await expect(migrate(client, { lockTimeoutMs: 20 })).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await other.query('rollback')
    expect(await migrate(client)).not.toEqual([])
    await Promise.all([client.end(), other.end()])
  })

  it('starts again after a deadlock with a transaction of the platform', async () => {
    const pool = await server.createPool()
    const [client, other] = [await pool.connect(), await pool.connect()]
    await leaveOneOut(other)
    await other.query(`begin; set local deadlock_timeout = '1min'; lock table callboard.migrations`)
    const migrated = migrate(client)
    await waiting(pool, 1)
    // The migration already holds this lock while it waits for the table.
    await other.query(`select pg_advisory_xact_lock(hashtextextended('callboard migrations callboard', 0)); commit`)
    expect(await migrated).toEqual(['publish_event@1'])
    for (const each of [client, other]) each.release()
  })

  it.each(['Callboard', 'a-b', 'a.b', '', 'a"; drop table x; --', `s${'x'.repeat(63)}`])(
    'refuses the schema name %j',
    async (schema) => {
      await expect(readMigrations(schema)).rejects.toMatchObject({ code: 'CONFIGURATION_INVALID' })
      expect(() => createPostgresStore({ pool: new Pool(), schema })).toThrow('schema must be')
    },
  )

  it('refuses each schema name that Postgres reserves', async () => {
    const client = await connect(await server.createDatabase())
    const { rows } = await client.query<{ word: string }>(
      `select word from pg_get_keywords() where catcode in ('R', 'T')`,
    )
    await client.end()
    expect(rows.map(({ word }) => word).filter((word) => !RESERVED_WORDS.has(word))).toEqual([])
    for (const schema of ['user', 'order', 'pg_callboard'])
      await expect(readMigrations(schema)).rejects.toMatchObject({
        code: 'CONFIGURATION_INVALID',
        message: expect.stringContaining(`reserves the name ${schema}`),
      })
  })

  it.each(['LATIN1', 'WIN1252', 'EUC_JP', 'SQL_ASCII'])('refuses a database with the encoding %s', async (encoding) => {
    const url = new URL(await server.createDatabase())
    const admin = await connect(url.href)
    const name = `encoded_${encoding.toLowerCase()}_${process.pid}`
    await admin.query(`create database ${name} encoding '${encoding}' lc_collate 'C' lc_ctype 'C' template template0`)
    url.pathname = `/${name}`
    const client = await connect(url.href)
    const refused = { code: 'CONFIGURATION_INVALID', message: expect.stringContaining(`the encoding ${encoding}`) }
    await expect(migrate(client)).rejects.toMatchObject(refused)
    // Another tool may have migrated it.
    await client.query(await readMigrationScript())
    const pool = new Pool({ connectionString: url.href })
    await expect(createPostgresStore({ pool }).ready()).rejects.toMatchObject(refused)
    await pool.end()
    await client.end()
    await admin.query(`drop database ${name}`)
    await admin.end()
  })

  it('refuses a server that is older than Postgres 15', async () => {
    const client = await connect(await server.createDatabase())
    const older: MigrationClient = {
      query: (text, values) =>
        client.query(text.replaceAll("current_setting('server_version_num')", "'140021'"), values ?? []),
    }
    await expect(migrate(older)).rejects.toMatchObject({
      code: 'CONFIGURATION_INVALID',
      message: 'The database is Postgres 14. Callboard needs Postgres 15 or later; upgrade the server first.',
    })
    const { rows } = await client.query(`select from pg_namespace where nspname = 'callboard'`)
    expect(rows).toEqual([])
    await client.end()
  })

  it('returns SQL that another migration tool can run', async () => {
    const client = await connect(await server.createDatabase())
    for (const { sql } of await readMigrations('elsewhere')) {
      expect(sql.replaceAll(/--.*$/gm, '')).not.toMatch(/\bcallboard\b/)
      await client.query(sql)
    }
    await client.end()
  })
})

describe('the migration script', () => {
  it('does what migrate does: nothing is missing afterwards, and the store is ready', async () => {
    const url = await server.createDatabase()
    const client = await connect(url)
    const names = (await readMigrations()).map(({ name }) => name)
    await client.query(await readMigrationScript({ schema: 'elsewhere' }))
    expect(await migrate(client, { schema: 'elsewhere' })).toEqual([])
    const pool = new Pool({ connectionString: url })
    await createPostgresStore({ pool, schema: 'elsewhere' }).ready()
    const rest = await readMigrationScript({ after: '0001-initial.sql' })
    expect(rest.match(/^-- \S+(?:\.sql|@\d+)$/gm)).toEqual(names.slice(1).map((name) => `-- ${name}`))
    await client.query(rest.replaceAll('callboard', 'elsewhere'))
    for (const after of ['none', 'publish_event@1'])
      await expect(readMigrationScript({ after })).rejects.toMatchObject({ code: 'CONFIGURATION_INVALID' })
    await pool.end()
    await client.end()
  })
})

describe('ready', () => {
  it('reports that the schema is not migrated', async () => {
    const store = createPostgresStore({ pool: await server.createPool() })
    await expect(store.ready()).rejects.toMatchObject({
      code: 'CONFIGURATION_INVALID',
      message: expect.stringContaining('migrate()'),
    })
  })

  it('requires either pool or pglite', () => {
    expect(() => createPostgresStore({})).toThrow('either pool or pglite')
  })
})
