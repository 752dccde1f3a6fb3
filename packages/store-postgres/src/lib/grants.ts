import { CallboardError } from '@callboard/core'
import { assertSchemaName, DEFAULT_SCHEMA } from './schema-name.ts'

export interface GrantsOptions {
  /** Role of the code that calls `publish`. */
  readonly publisher: string
  /** Role of the router and of people at a dashboard: keys are looked up, events read, subscriptions made and removed, deliveries listed and sent again. */
  readonly api: string
  /** Role of workers. */
  readonly worker: string
  /** Name of the schema; `callboard` by default. */
  readonly schema?: string | undefined
}

/** A part of Callboard, which may have a role of its own. */
export type Part = Exclude<keyof GrantsOptions, 'schema'>

/** What each part of Callboard does to each table, and no more. Accounts, keys and migrations are the owner's. */
export const GRANTS: Readonly<Record<Part, Readonly<Record<string, string>>>> = {
  publisher: {
    accounts: 'select',
    events: 'select, insert',
    subjects: 'select, insert, update',
    outbox: 'insert',
  },
  api: {
    migrations: 'select',
    accounts: 'select',
    api_keys: 'select, update (last_used_at)',
    rate_windows: 'select, insert, update',
    events: 'select',
    outbox: 'select',
    // `select … for update`, by which a new subscription keeps the sequencer waiting, needs the right to update.
    sequencers: 'select, update',
    subscriptions: 'select, insert, update',
    subscription_types: 'select, insert, delete',
    feed: 'select',
    lanes: 'select, insert, update, delete',
    retries: 'select, insert, update, delete',
    attempts: 'select',
    lane_hours: 'select',
    ended_ranges: 'select, insert',
    ended_deliveries: 'select, insert, update, delete',
    added_deliveries: 'select, insert',
  },
  worker: {
    migrations: 'select',
    accounts: 'select',
    api_keys: 'select',
    // Locking rows needs the right to update one column.
    events: 'select, update (patch), delete',
    outbox: 'select, delete',
    sequencers: 'select, update',
    feed: 'select, insert, delete',
    subscriptions: 'select, update, delete',
    subscription_types: 'select, delete',
    lanes: 'select, update',
    lane_hours: 'select, insert, delete',
    retries: 'select, insert, update, delete',
    attempts: 'select, insert, update (response), delete',
    ended_ranges: 'select, insert, update, delete',
    ended_deliveries: 'select, insert, update, delete',
    added_deliveries: 'select, delete',
    retention: 'select, update',
  },
}

export const PARTS: readonly Part[] = ['publisher', 'api', 'worker']

/**
 * SQL that gives three existing roles the rights they need, for the platform's own migration tool or `psql`. Run it after each
 * `migrate`, as the owner of the schema; running it again changes nothing.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` for a role or schema name that would have to be quoted.
 */
export function grantsSql(options: GrantsOptions): string {
  const { schema = DEFAULT_SCHEMA } = options
  assertSchemaName(schema)
  return PARTS.map((part) => grantsOf(part, options[part], schema)).join('\n')
}

function grantsOf(part: Part, role: string, schema: string): string {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(role))
    throw new CallboardError('CONFIGURATION_INVALID', `${part} must be a lower-case SQL name of at most 63 characters.`)
  const tables = Object.entries(GRANTS[part]).map(
    ([table, rights]) => `grant ${rights} on ${schema}.${table} to ${role};`,
  )
  return [`-- ${part}`, `grant usage on schema ${schema} to ${role};`, ...tables, ''].join('\n')
}
