/**
 * Indents SQL of several lines to the column where it is inserted. People also read the functions in the database,
 * where the indentation helps them.
 */
export function indented(columns: number, sql: string): string {
  return sql.trim().replaceAll('\n', `\n${' '.repeat(columns)}`)
}
