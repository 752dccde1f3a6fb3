import type { Columns } from './rows-of.ts'

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
