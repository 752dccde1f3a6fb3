import Table from 'cli-table3' // The most used table library. It aligns any text (CJK, emoji), and has one dependency.

/** The value of a cell; undefined is shown as `-`. */
export type Cell = string | number | boolean | Date | undefined

/** Column titles, each with a function that returns the column's value for a row. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>

/** Formats a table without borders, as `kubectl` and `docker` do, so that it is easy to read, copy and parse. */
export function formatTable<Row>(rows: readonly Row[], columns: Columns<Row>): { head: string; lines: string[] } {
  const titles = Object.keys(columns).map((title) => title.toUpperCase())
  const cells = rows.map((row) => Object.values(columns).map((show) => formatCell(show(row))))
  const [head = '', ...lines] = aligned([titles, ...cells])
  return { head, lines }
}

/** Formats the fields of one record, one line for each. */
export function formatFields<Row>(row: Row, fields: Columns<Row>): string[] {
  return aligned(Object.entries(fields).map(([title, show]) => [title, formatCell(show(row))]))
}

const NO_LINES = {
  chars: {
    ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
    ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
    ...{ left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '   ' },
  },
  style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
}

function aligned(rows: string[][]): string[] {
  if (rows.length === 0) return []
  const table = new Table(NO_LINES)
  table.push(...rows)
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
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
