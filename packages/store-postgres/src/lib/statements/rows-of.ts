/** The Postgres type of each column. */
export type Columns<Row> = { readonly [column in keyof Row]: string }

/**
 * SQL for the rows of a list parameter, to select from under the parameter's name. One array per column is sent; `n`
 * numbers the rows from 1.
 */
export function rowsOf<Row>(parameter: string, columns: Columns<Row>): string {
  const types = Object.entries<string>(columns)
  const arrays = types.map(([column, type]) => `:${parameter}.${column}::${type}[]`)
  const names = types.map(([column]) => column)
  return `unnest(${arrays.join(', ')})\n    with ordinality as ${parameter}(${names.join(', ')}, n)`
}
