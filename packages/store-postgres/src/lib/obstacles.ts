import { CallboardError } from '@callboard/core'

/** The names of the tables and functions that SQL creates in the schema `schema`. */
export function createdBy(sql: string, schema: string): string[] {
  const created = new RegExp(`^create (?:or replace |unlogged )?(?:table|function) ${schema}\\.(\\w+)`, 'gm')
  return [...sql.matchAll(created)].flatMap(([, name]) => name ?? [])
}

/** Lists the relations and functions of a schema; `$1` is its name. */
export const LIST_OBJECTS = `
select c.relname::text as name from pg_class c where c.relnamespace = to_regnamespace($1) and c.relkind <> 'i'
union
select p.proname::text from pg_proc p where p.pronamespace = to_regnamespace($1)`

/** @param names those that Callboard would create and that exist already. */
export function obstacleError(names: readonly string[], schema: string): CallboardError {
  const list = names.toSorted().join(', ')
  return new CallboardError(
    'CONFIGURATION_INVALID',
    `Schema ${schema} already has tables or functions that Callboard did not create and that have its names: ${list}. ` +
      'Migrate into another schema (option `schema`), or move them to one.',
  )
}

/** For a role that may not create the schema. */
export function schemaDeniedError(schema: string, cause: unknown): CallboardError {
  return new CallboardError(
    'CONFIGURATION_INVALID',
    `This role may not create schema ${schema} or tables in it. Have a role that may run: ` +
      `create schema if not exists ${schema}; grant usage, create on schema ${schema} to <this role>;`,
    { cause },
  )
}
