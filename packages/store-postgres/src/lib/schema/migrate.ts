import { CallboardError } from '@callboard/core'
import { INSUFFICIENT_PRIVILEGE, isConflict } from '../database/failures.ts'
import { lockFolder } from '../database/folder-lock.ts'
import { assertEncoding, assertServerVersion, MAJOR_VERSION, SERVER_ENCODING } from '../database/supported-server.ts'
import { assertSchemaName, DEFAULT_SCHEMA, inSchema } from '../sql/schema-name.ts'
import { FUNCTIONS } from './functions.ts'
import { NUMBERED_MIGRATIONS } from './migrations/numbered-migrations.ts'
import { missingMigrations, revisionName } from './missing-migrations.ts'
import { createdBy, LIST_OBJECTS, obstacleError, schemaDeniedError } from './obstacles.ts'

/** A single connection: a `pg` client taken from a pool, or PGlite. */
export interface MigrationClient {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
  /** PGlite only: runs several statements in one call, which PGlite's `query` cannot do. */
  exec?(text: string): Promise<unknown>
  /** PGlite only: the folder with its files. */
  readonly dataDir?: string | undefined
  /** Only a pool of `pg` has this. */
  readonly totalCount?: never
}

export interface MigrateOptions {
  /** Name of the schema; `callboard` by default. */
  readonly schema?: string | undefined
  /**
   * How long each of up to three tries waits for a lock that another transaction holds, in milliseconds; 5 s by
   * default.
   */
  readonly lockTimeoutMs?: number | undefined
}

export interface Migration {
  /** `0001-initial.sql`, or a function and its revision: `publish_event@1`. */
  readonly name: string
  /**
   * The SQL of the migration. Its last statement records the name, so that the store knows that the migration was
   * applied.
   */
  readonly sql: string
}

export interface MigrationScriptOptions {
  /** Name of the schema; `callboard` by default. */
  readonly schema?: string | undefined
  /** Name of the last numbered migration that has been applied, such as `0001-initial.sql`; none by default. */
  readonly after?: string | undefined
}

const TRIES = 3

/**
 * Returns all migrations for the given schema: first the numbered ones, then the functions. The platform's own
 * migration tool can apply them in this order, each name once. A function whose text has changed has a new name.
 */
export async function readMigrations(schema: string = DEFAULT_SCHEMA): Promise<Migration[]> {
  assertSchemaName(schema)
  const functions = FUNCTIONS.map(({ name, text }) => ({ name: revisionName(name), text: `${text.trim()};` }))
  return [...NUMBERED_MIGRATIONS, ...functions].map(({ name, text }) => ({
    name,
    sql: `${inSchema(text.trim(), schema)}\n\ninsert into ${schema}.migrations (name) values ('${name}') on conflict do nothing;\n`,
  }))
}

/**
 * Returns one SQL script that does what {@link migrate} does, for `psql` or your own migration tool. In one transaction
 * it applies every numbered migration, or only those that follow `after`, and re-creates every function.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` when no numbered migration has the name `after`.
 */
export async function readMigrationScript({
  schema = DEFAULT_SCHEMA,
  after,
}: MigrationScriptOptions = {}): Promise<string> {
  const migrations = await readMigrations(schema)
  const last = after === undefined ? -1 : NUMBERED_MIGRATIONS.findIndex(({ name }) => name === after)
  if (after !== undefined && last < 0)
    throw new CallboardError(
      'CONFIGURATION_INVALID',
      `There is no migration with this name. The last one is ${NUMBERED_MIGRATIONS.at(-1)?.name}.`,
    )
  const steps = migrations.slice(last + 1).map(({ name, sql }) => `-- ${name}\n${sql.trimEnd()}`)
  return ['begin;', ...steps, 'commit;'].join('\n\n')
}

/**
 * Applies the missing migrations in one transaction and returns their names. When several processes call it at once,
 * one process applies them and the others wait. The schema is created if it does not exist.
 *
 * @throws CallboardError `UNAVAILABLE` when a lock was not granted in three tries; `CONFIGURATION_INVALID` for a pool
 *   instead of one connection, when the role may not create the schema or its tables, when the server is older than
 *   Postgres 15, when the database's encoding is not UTF8, or when others have created tables or functions whose names
 *   Callboard needs.
 */
export async function migrate(client: MigrationClient, options: MigrateOptions = {}): Promise<string[]> {
  const { schema = DEFAULT_SCHEMA, lockTimeoutMs = 5_000 } = options
  const migrations = await readMigrations(schema)
  if (typeof client?.query !== 'function' || 'totalCount' in client) throw notOneConnection()
  if (client.exec !== undefined) await lockFolder(client)
  for (let tries = 1; ; tries++) {
    try {
      return await apply(client, migrations, schema, lockTimeoutMs)
    } catch (error) {
      // If the connection is lost, this rollback fails, and there is nothing to roll back.
      await client.query('rollback').catch(() => undefined)
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code === INSUFFICIENT_PRIVILEGE) throw schemaDeniedError(schema, error)
      // A deadlock, like a lock timeout, means that another transaction holds a lock: try again.
      if (code !== LOCK_NOT_AVAILABLE && !isConflict(error)) throw error
      if (tries === TRIES)
        throw new CallboardError('UNAVAILABLE', 'Migrations wait for a lock that another transaction holds.', {
          cause: error,
          retryAfter: 1,
        })
    }
  }
}

function notOneConnection(): CallboardError {
  return new CallboardError(
    'CONFIGURATION_INVALID',
    'migrate needs one connection that answers with { rows }: a client of pg (new Client(), or await pool.connect()), ' +
      'or PGlite. A pool would run each statement on any of its connections.',
  )
}

const LOCK_NOT_AVAILABLE = '55P03'

async function apply(
  client: MigrationClient,
  migrations: readonly Migration[],
  schema: string,
  lockTimeoutMs: number,
): Promise<string[]> {
  await client.query('begin')
  await client.query('select pg_current_xact_id()')
  const inTransaction = `select 'yes'::text as begun where pg_current_xact_id_if_assigned() is not null`
  if (column('begun', await client.query(inTransaction)).length === 0) throw notOneConnection()
  const [major = ''] = column('major', await client.query(`select (${MAJOR_VERSION})::text as major`))
  assertServerVersion(Number(major))
  const [encoding = ''] = column('encoding', await client.query(SERVER_ENCODING))
  assertEncoding(encoding)
  // This wait has no timeout, because the process that holds the lock is applying the same migrations.
  await client.query(`select pg_advisory_xact_lock(hashtextextended('callboard migrations ' || $1::text, 0))`, [schema])
  await client.query(`select set_config('lock_timeout', $1::text, true)`, [`${Math.round(lockTimeoutMs)}ms`])
  const missing = missingMigrations(await appliedTo(client, schema, migrations))
  const steps = migrations.filter(({ name }) => missing.includes(name))
  for (const { sql } of steps) await (client.exec === undefined ? client.query(sql) : client.exec(sql))
  await client.query('commit')
  return steps.map(({ name }) => name)
}

/**
 * Returns the names of the applied migrations: none in an empty schema. Throws if a table or function of somebody else
 * has a name that Callboard needs.
 */
async function appliedTo(client: MigrationClient, schema: string, migrations: readonly Migration[]): Promise<string[]> {
  const objects = column('name', await client.query(LIST_OBJECTS, [schema]))
  const applied =
    objects.includes('migrations') && (await isOurs(client, schema))
      ? column('name', await client.query(`select name from ${schema}.migrations`))
      : []
  const [initial] = migrations
  if (initial !== undefined && !applied.includes(initial.name)) {
    const created = migrations.flatMap(({ sql }) => createdBy(sql, schema))
    const inTheWay = created.filter((name) => objects.includes(name))
    if (inTheWay.length > 0) throw obstacleError(inTheWay, schema)
  }
  return applied
}

/** Whether the table `migrations` has our columns. */
async function isOurs(client: MigrationClient, schema: string): Promise<boolean> {
  const columns = await client.query(
    `select attname::text as name from pg_attribute where attrelid = to_regclass($1) and attnum > 0`,
    [`${schema}.migrations`],
  )
  return ['name', 'applied_at'].every((name) => column('name', columns).includes(name))
}

function column(name: string, { rows }: { readonly rows: readonly unknown[] }): string[] {
  if (!Array.isArray(rows)) throw notOneConnection()
  return rows.flatMap((row) => {
    const value: unknown = typeof row === 'object' && row !== null ? Reflect.get(row, name) : undefined
    return typeof value === 'string' ? value : []
  })
}
