/**
 * Indents SQL of several lines to the column where it is inserted, because people also read the functions in the
 * database.
 */
export function indented(columns: number, sql: string): string {
  return sql.trim().replaceAll('\n', `\n${' '.repeat(columns)}`)
}
