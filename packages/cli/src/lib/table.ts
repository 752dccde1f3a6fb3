/** The value of a cell; undefined is shown as `-`. */
export type Cell = string | number | boolean | Date | undefined

/** Column titles, each with a function that returns the column's value for a row. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>

const GAP = '   '

/** Formats a table without lines, as `kubectl` and `docker` do, so that it is easy to read, copy and cut. */
export function formatTable<Row>(rows: readonly Row[], columns: Columns<Row>): { head: string; lines: string[] } {
  const shown = Object.entries(columns).map(([title, show]) => {
    const cells = rows.map((row) => formatCell(show(row)))
    return { cells: [title.toUpperCase(), ...cells], width: Math.max(title.length, ...cells.map(lengthOf)) }
  })
  const line = (index: number): string =>
    shown
      .map(({ cells, width }) => {
        const cell = cells[index] ?? ''
        return cell + ' '.repeat(width - lengthOf(cell))
      })
      .join(GAP)
      .trimEnd()
  return { head: line(0), lines: rows.map((_, index) => line(index + 1)) }
}

/** Formats the fields of one record, one line for each. */
export function formatFields<Row>(row: Row, fields: Columns<Row>): string[] {
  const width = Math.max(...Object.keys(fields).map(lengthOf))
  return Object.entries(fields).map(([title, show]) => `${title.padEnd(width)}${GAP}${formatCell(show(row))}`)
}

/** Formats a cell as one line. Escapes text that could move the terminal's cursor or retitle its window. */
export function formatCell(cell: Cell): string {
  if (cell === undefined || cell === '') return '-'
  if (cell instanceof Date) return cell.toISOString()
  // Escapes control characters, direction marks and line ends. JSON.stringify would leave some of them as they are.
  return String(cell).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped)
}

function escaped(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`
}

function lengthOf(text: string): number {
  return [...text].length
}
