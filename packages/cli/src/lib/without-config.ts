import { createCallboard, defineCatalog } from '@callboard/core'
import { createPostgresStore } from '@callboard/store-postgres'
import pg from 'pg'
import { wrongUsage } from './command-error.ts'
import type { CallboardConfig } from './define-config.ts'

/** The part of a platform that its database alone provides: no catalogue, no secret keys, no hooks. */
export function withoutConfig(
  env: Readonly<Record<string, string | undefined>>,
  schema: string | undefined,
): CallboardConfig {
  const pool = openPool(env['DATABASE_URL'])
  const callboard = createCallboard({
    catalog: defineCatalog({ version: '1970-01-01', types: [] }),
    // Prepared statements gain nothing in a one-command process, and fail behind some PgBouncers.
    store: createPostgresStore({ pool, schema, prepare: false }),
    // Valid in this process only: commands whose results others must decrypt or verify require the config module.
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
  // Never echoed, because it contains a password.
  if (!URL.canParse(url) || !/^postgres(?:ql)?:$/.test(new URL(url).protocol))
    throw wrongUsage('DATABASE_URL must be like postgres://user:password@host/database.')
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'callboard',
    max: 2,
    connectionTimeoutMillis: 5_000,
  })
  pool.on('error', () => undefined)
  return pool
}
