import { CallboardError } from '@callboard/core'
import { assertSchemaName, DEFAULT_SCHEMA } from '../sql/schema-name.ts'

export interface GrantsOptions {
  /** The role of code that calls `publish`. */
  readonly publisher: string
  /**
   * The role of the router and the dashboard, which look up keys, read events, create and remove subscriptions, and
   * list and resend deliveries.
   */
  readonly api: string
  /** The role of workers. */
  readonly worker: string
  /**
   * The role of code that only creates accounts and issues keys, such as a sign-up; by default, only the schema's owner
   * can.
   */
  readonly provisioner?: string | undefined
  /** The name of the schema; `callboard` by default. */
  readonly schema?: string | undefined
}

/** A part of Callboard that may have a database role of its own. */
export type Part = Exclude<keyof GrantsOptions, 'schema'>

/**
 * The rights that each part needs on each table, and no more. The schema's owner alone changes and deletes accounts
 * and keys, and migrates.
 */
export const GRANTS: Readonly<Record<Part, Readonly<Record<string, string>>>> = {
  publisher: {
    accounts: 'select, insert',
    events: 'select, insert',
    subjects: 'select, insert, update',
    outbox: 'insert',
    audit_entries: 'insert',
  },
  api: {
    migrations: 'select',
    accounts: 'select',
    api_keys: 'select, update (last_used_at)',
    rate_windows: 'select, insert, update',
    events: 'select',
    outbox: 'select',
    // Creating a subscription locks the sequencer's row with `select … for update`, which needs the right to update.
    sequencer: 'select, update',
    subscriptions: 'select, insert, update',
    subscription_types: 'select, insert, delete',
    feed: 'select',
    feed_starts: 'select',
    feed_times: 'select',
    server_runs: 'select, insert, update',
    lanes: 'select, insert, update, delete',
    workers: 'select',
    retries: 'select, insert, update, delete',
    attempts: 'select',
    lane_hours: 'select',
    lane_days: 'select',
    ended_ranges: 'select, insert',
    ended_deliveries: 'select, insert, update, delete',
    added_deliveries: 'select, insert',
    audit_entries: 'select, insert',
  },
  worker: {
    migrations: 'select',
    accounts: 'select',
    // Retention deletes what is left of deleted accounts, and `moveMissingVersions` changes the format version of keys.
    api_keys: 'select, update (api_version), delete',
    rate_windows: 'select, delete',
    subjects: 'select, update, delete',
    // `select … for update` needs the right to update at least one column.
    events: 'select, update (patch), delete',
    outbox: 'select, delete',
    sequencer: 'select, update',
    server_runs: 'select, insert, delete',
    feed: 'select, insert, delete',
    feed_starts: 'select, insert, update, delete',
    feed_times: 'select, insert, delete',
    subscriptions: 'select, update, delete',
    subscription_types: 'select, delete',
    lanes: 'select, update, delete',
    workers: 'select, insert, update, delete',
    lane_hours: 'select, insert, delete',
    lane_days: 'select, insert, update, delete',
    retries: 'select, insert, update, delete',
    attempts: 'select, insert, update (response), delete',
    ended_ranges: 'select, insert, update, delete',
    ended_deliveries: 'select, insert, update, delete',
    added_deliveries: 'select, delete',
    retention: 'select, update',
    audit_entries: 'select, insert, delete',
  },
  provisioner: {
    migrations: 'select',
    accounts: 'select, insert',
    api_keys: 'select, insert',
    audit_entries: 'insert',
  },
}

export const PARTS: readonly Part[] = ['publisher', 'api', 'worker', 'provisioner']

/**
 * Returns SQL that grants existing roles the rights they need. Run it after each `migrate`, with `psql` or the
 * platform's own migration tool, as the owner of the schema. Running it again changes nothing.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` for a role or schema name that would need quotes.
 */
export function grantsSql(options: GrantsOptions): string {
  const { schema = DEFAULT_SCHEMA } = options
  assertSchemaName(schema)
  return PARTS.flatMap((part) => {
    const role = options[part]
    return role === undefined ? [] : grantsOf(part, role, schema)
  }).join('\n')
}

function grantsOf(part: Part, role: string, schema: string): string {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(role))
    throw new CallboardError('CONFIGURATION_INVALID', `${part} must be a lower-case SQL name of at most 63 characters.`)
  const tables = Object.entries(GRANTS[part]).map(
    ([table, rights]) => `grant ${rights} on ${schema}.${table} to ${role};`,
  )
  return [`-- ${part}`, `grant usage on schema ${schema} to ${role};`, ...tables, ''].join('\n')
}

/** The error for a role that lacks a right. Postgres names the object, and {@link GRANTS} says who needs what on it. */
export function deniedError(cause: Error): CallboardError {
  const [, kind = '', object = ''] = /permission denied for (\w+) (\w+)/.exec(cause.message) ?? []
  const needed = PARTS.flatMap((part) => {
    const rights = GRANTS[part][object]
    return kind !== 'table' || rights === undefined ? [] : `a ${part} needs ${rights}`
  })
  const on = object === '' ? '' : ` on ${kind} ${object}${needed.length > 0 ? ` (${needed.join('; ')})` : ''}`
  return new CallboardError(
    'CONFIGURATION_INVALID',
    `The database role lacks a right${on}. As the owner of the schema, run the SQL that grantsSql() returns for this role.`,
    { cause },
  )
}
