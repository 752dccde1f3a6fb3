/** The lines of a column that has one line per row; none for null. */
export function linesOf(text: string | null | undefined): string[] {
  return text === null || text === undefined ? [] : text.split('\n')
}
