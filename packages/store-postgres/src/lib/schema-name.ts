import { CallboardError } from '@callboard/core'

/** The schema that migrations and statements are written for. */
export const DEFAULT_SCHEMA = 'callboard'

/** Throws `CONFIGURATION_INVALID` for a name that would need quotes or be truncated. */
export function assertSchemaName(schema: string): void {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw new CallboardError('CONFIGURATION_INVALID', 'schema must be a lower-case SQL name of at most 63 characters.')
  }
}

/** Replaces the schema `callboard` with another schema in SQL. */
export function inSchema(sql: string, schema: string): string {
  return schema === DEFAULT_SCHEMA
    ? sql
    : sql
        .replace(/\bcallboard\./g, `${schema}.`)
        .replace(/(schema (?:if not exists )?)callboard\b/g, `$1${schema}`)
        .replaceAll("'callboard'", `'${schema}'`)
}
