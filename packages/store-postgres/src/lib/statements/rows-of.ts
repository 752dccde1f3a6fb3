/** The Postgres type of each column. */
export type Columns<Row> = { readonly [column in keyof Row]: string }

/**
 * SQL of the rows of a list parameter, to select from under the parameter's name. It sends one array a column; `n`
 * numbers the rows from 1. A column whose values are lists is sent as one flat array.
 */
export function rowsOf<Row>(parameter: string, columns: Columns<Row>): string {
  const types = Object.entries<string>(columns)
  const arrays = types.map(([column, type]) => `:${parameter}.${column}::${type}[]`)
  const names = types.map(([column]) => column)
  return `unnest(${arrays.join(', ')})\n    with ordinality as ${parameter}(${names.join(', ')}, n)`
}
