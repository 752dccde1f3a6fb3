import { createCallboard, defineCatalog } from '@callboard/core'
import { createPostgresStore } from '@callboard/store-postgres'
import pg from 'pg'
import { wrongUsage } from './command-error.ts'
import type { CallboardConfig } from './define-config.ts'

/**
 * Creates a configuration that needs only a database. It has no catalogue and no hooks, and its secret key lasts only
 * as long as this process.
 */
export function withoutConfig(
  env: Readonly<Record<string, string | undefined>>,
  schema: string | undefined,
): CallboardConfig {
  const pool = openPool(env['DATABASE_URL'])
  const callboard = createCallboard({
    catalog: defineCatalog({ version: '1970-01-01', types: [] }),
    // Prepared statements gain nothing in a process that runs one command, and fail behind some setups of PgBouncer.
    store: createPostgresStore({ pool, schema, prepare: false }),
    // This key is valid in this process only. Commands whose results other processes must decrypt or verify therefore
    // require the config module.
    secretKeys: { current: 'none', keys: { none: crypto.getRandomValues(new Uint8Array(32)) } },
    keyPrefix: env['CALLBOARD_KEY_PREFIX'],
  })
  return { callboard, pool, schema }
}

function openPool(url: string | undefined): pg.Pool {
  if (url === undefined || url === '')
    throw wrongUsage(
      'There is no callboard.config.ts here, and DATABASE_URL is not set. Run this in the folder of your platform, ' +
        'or set DATABASE_URL=postgres://user:password@host/database.',
    )
  // The message never quotes the URL, because the URL contains a password.
  if (!URL.canParse(url) || !/^postgres(?:ql)?:$/.test(new URL(url).protocol))
    throw wrongUsage('DATABASE_URL must look like postgres://user:password@host/database.')
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'callboard',
    max: 2,
    connectionTimeoutMillis: 5_000,
  })
  pool.on('error', () => undefined)
  return pool
}
