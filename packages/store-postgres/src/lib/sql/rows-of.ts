/** The Postgres type of each column. */
export type Columns<Row> = { readonly [column in keyof Row]: string }

/**
 * SQL for the rows of a parameter that is a list; select from it under the parameter's name. Each column is sent as one
 * array. The column `n` numbers the rows from 1.
 *
 * Each array is in a `select` of its own, so that the planner does not see how long it is. Otherwise a plan for one or
 * two lanes looks cheaper than the generic plan, and Postgres plans each call anew. That took 0.8 of the 1.6 ms of CPU
 * time for leasing one lane.
 */
export function rowsOf<Row>(parameter: string, columns: Columns<Row>): string {
  const types = Object.entries<string>(columns)
  const arrays = types.map(([column, type]) => `(select :${parameter}.${column}::${type}[])`)
  const names = types.map(([column]) => column)
  return `unnest(${arrays.join(', ')})\n    with ordinality as ${parameter}(${names.join(', ')}, n)`
}

/** A list of rows that a function takes as one array for each column. */
export interface RowArrays {
  /** Declares the function's parameters, such as `attempts_id uuid[], attempts_status int[]`. */
  readonly declared: string
  /** SQL for the rows, to select from under an alias. */
  rows(alias: string): string
  /** SQL that passes the list of this name, a statement's parameter, to the function. */
  readonly passed: string
}

export function rowArrays<Row>(list: string, columns: Columns<Row>): RowArrays {
  const types = Object.entries<string>(columns)
  const each = (sql: (column: string, type: string) => string): string =>
    types.map(([column, type]) => sql(column, type)).join(', ')
  return {
    declared: each((column, type) => `${list}_${column} ${type}[]`),
    rows: (alias) => `unnest(${each((column) => `${list}_${column}`)}) as ${alias}(${each((column) => column)})`,
    passed: each((column, type) => `:${list}.${column}::${type}[]`),
  }
}
