import { CallboardError } from '@callboard/core'

/** The schema that migrations and statements are written for. */
export const DEFAULT_SCHEMA = 'callboard'

/** The words that Postgres 18 reserves: those that `pg_get_keywords()` lists with the category R or T. */
export const RESERVED_WORDS: ReadonlySet<string> = new Set(
  (
    'all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate collation ' +
    'column concurrently constraint create cross current_catalog current_date current_role current_schema ' +
    'current_time current_timestamp current_user default deferrable desc distinct do else end except false fetch for ' +
    'foreign freeze from full grant group having ilike in initially inner intersect into is isnull join lateral ' +
    'leading left like limit localtime localtimestamp natural not notnull null offset on only or order outer ' +
    'overlaps placing primary references returning right select session_user similar some symmetric system_user ' +
    'table tablesample then to trailing true union unique user using variadic verbose when where window with'
  ).split(' '),
)

/** Throws `CONFIGURATION_INVALID` for a name that would need quotes or be truncated, and for one that is reserved. */
export function assertSchemaName(schema: string): void {
  if (RESERVED_WORDS.has(schema) || schema.startsWith('pg_'))
    throw new CallboardError(
      'CONFIGURATION_INVALID',
      `Postgres reserves the name ${schema}. Choose another schema, such as ${DEFAULT_SCHEMA}_${schema.replace('pg_', '')}.`,
    )

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
