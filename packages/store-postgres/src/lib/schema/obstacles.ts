import { CallboardError } from '@callboard/core'

/** Returns the names of the tables and functions that `sql` creates in `schema`. */
export function createdBy(sql: string, schema: string): string[] {
  const created = new RegExp(`^create (?:or replace |unlogged )?(?:table|function) ${schema}\\.(\\w+)`, 'gm')
  return [...sql.matchAll(created)].flatMap(([, name]) => name ?? [])
}

/** Lists the relations and functions of a schema; `$1` is its name. */
export const LIST_OBJECTS = `
select c.relname::text as name from pg_class c where c.relnamespace = to_regnamespace($1) and c.relkind <> 'i'
union
select p.proname::text from pg_proc p where p.pronamespace = to_regnamespace($1)`

/** @param names the names that Callboard would create and that exist already. */
export function obstacleError(names: readonly string[], schema: string): CallboardError {
  const list = names.toSorted().join(', ')
  return new CallboardError(
    'CONFIGURATION_INVALID',
    `Schema ${schema} already contains tables or functions that Callboard did not create but whose names it needs: ` +
      `${list}. Migrate into a different schema (option \`schema\`), or move these objects to another schema.`,
  )
}

/** The error for a role that may not create the schema or its tables. */
export function schemaDeniedError(schema: string, cause: unknown): CallboardError {
  return new CallboardError(
    'CONFIGURATION_INVALID',
    `The current database role is not allowed to create schema ${schema} or tables in it. ` +
      'Run the following SQL as a role that is allowed to: ' +
      `create schema if not exists ${schema}; grant usage, create on schema ${schema} to <current role>;`,
    { cause },
  )
}
