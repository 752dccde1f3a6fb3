/** SQL of several lines, indented to where it is inserted, because functions are also read in the database. */
export function indented(columns: number, sql: string): string {
  return sql.trim().replaceAll('\n', `\n${' '.repeat(columns)}`)
}
