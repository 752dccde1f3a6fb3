import { readdir, readFile } from 'node:fs/promises'
import { CallboardError } from '@callboard/core'
import { migrationsFolder } from '../migrations-folder.ts'
import { isConflict } from './failures.ts'
import { assertSchemaName, DEFAULT_SCHEMA, inSchema } from './schema-name.ts'

/** One connection's worth of SQL: a `pg` client taken from a pool, or PGlite. */
export interface MigrationClient {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
  /** PGlite runs several statements at once only through this. */
  exec?(text: string): Promise<unknown>
}

export interface MigrateOptions {
  /** Name of the schema; `callboard` by default. */
  readonly schema?: string | undefined
  /** How long one try waits for a lock that somebody holds, in milliseconds; 5 s by default, three tries. */
  readonly lockTimeoutMs?: number | undefined
}

export interface Migration {
  /** `0001-initial.sql` */
  readonly name: string
  readonly sql: string
}

export interface MigrationScriptOptions {
  /** Name of the schema; `callboard` by default. */
  readonly schema?: string | undefined
  /** Name of the last migration that is applied already; none by default. */
  readonly after?: string | undefined
}

const TRIES = 3

/** The numbered migrations, oldest first, written for the given schema: for the platform's own migration tool. */
export async function readMigrations(schema: string = DEFAULT_SCHEMA): Promise<Migration[]> {
  assertSchemaName(schema)
  const names = (await readdir(migrationsFolder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => ({
      name,
      sql: inSchema(await readFile(new URL(name, migrationsFolder), 'utf8'), schema),
    })),
  )
}

/**
 * One SQL script that does what {@link migrate} does, for `psql` or your own migration tool: every migration, or those behind
 * `after`, in one transaction that also writes down which they were; without that the store holds the database for not migrated.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` when there is no migration `after`.
 */
export async function readMigrationScript({
  schema = DEFAULT_SCHEMA,
  after,
}: MigrationScriptOptions = {}): Promise<string> {
  const migrations = await readMigrations(schema)
  const last = migrations.findIndex(({ name }) => name === after)
  if (after !== undefined && last < 0)
    throw new CallboardError(
      'CONFIGURATION_INVALID',
      `There is no migration of this name: the last is ${migrations.at(-1)?.name}.`,
    )
  const steps = migrations
    .slice(last + 1)
    .map(
      ({ name, sql }) => `-- ${name}\n${sql.trimEnd()}\n\ninsert into ${schema}.migrations (name) values ('${name}');`,
    )
  const statements = prelude(schema).map((statement) => `${statement};`)
  return ['begin;', ...statements, ...steps, 'commit;'].join('\n\n')
}

/**
 * Applies the migrations that are missing, in one transaction, and returns their names. When several processes start it at
 * once, one applies and the others wait for it. `client` must be one connection, not a pool.
 *
 * @throws CallboardError `UNAVAILABLE` when a lock could not be had in three tries.
 */
export async function migrate(client: MigrationClient, options: MigrateOptions = {}): Promise<string[]> {
  const { schema = DEFAULT_SCHEMA, lockTimeoutMs = 5_000 } = options
  const migrations = await readMigrations(schema)
  for (let tries = 1; ; tries++) {
    try {
      return await apply(client, migrations, schema, lockTimeoutMs)
    } catch (error) {
      // On a connection that is lost there is nothing to roll back.
      await client.query('rollback').catch(() => undefined)
      const locked = error instanceof Error && 'code' in error && error.code === '55P03'
      // A deadlock: who holds what is waited for here waits for what was locked before.
      if (!locked && !isConflict(error)) throw error
      if (tries === TRIES)
        throw new CallboardError('UNAVAILABLE', 'Migrations wait for a lock that another transaction holds.', {
          cause: error,
          retryAfter: 1,
        })
    }
  }
}

async function apply(
  client: MigrationClient,
  migrations: readonly Migration[],
  schema: string,
  lockTimeoutMs: number,
): Promise<string[]> {
  await client.query('begin')
  // Not bounded: whoever holds this applies the same migrations.
  await client.query(`select pg_advisory_xact_lock(hashtextextended('callboard migrations ' || $1::text, 0))`, [schema])
  await client.query(`select set_config('lock_timeout', $1::text, true)`, [`${Math.round(lockTimeoutMs)}ms`])
  for (const statement of prelude(schema)) await client.query(statement)
  const { rows } = await client.query(`select name from ${schema}.migrations`)
  const applied = new Set(
    rows.map((row) => (typeof row === 'object' && row !== null && 'name' in row ? row.name : undefined)),
  )
  const missing = migrations.filter(({ name }) => !applied.has(name))
  for (const { name, sql } of missing) {
    await (client.exec === undefined ? client.query(sql) : client.exec(sql))
    await client.query(`insert into ${schema}.migrations (name) values ($1)`, [name])
  }
  await client.query('commit')
  return missing.map(({ name }) => name)
}

/** Where it is written down which migrations are applied. */
function prelude(schema: string): string[] {
  return [
    `create schema if not exists ${schema}`,
    `create table if not exists ${schema}.migrations (name text primary key, applied_at timestamptz not null default clock_timestamp())`,
  ]
}
