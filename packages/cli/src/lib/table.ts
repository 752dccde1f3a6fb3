import stringWidth from 'string-width' // Knows how wide a terminal shows CJK, emoji and combining characters.
import { fitColumns, type TextColumn } from './fit-columns.ts'
import { relativeTime } from './relative-time.ts'

/** The value of a cell; undefined is shown as `-`. */
export type Cell = string | number | boolean | Date | undefined

/** Column titles, each with a function that returns the column's value for a row. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>

/** The terminal that shows a table. */
export interface Screen {
  /** Its width, in columns of one character. */
  readonly width: number
  /** The time that relative times are counted from. */
  readonly now: Date
  /** Colours a text that names a trouble. */
  mark(title: string, text: string): string
}

/**
 * Formats a table without borders, as `kubectl` and `docker` do, so that it is easy to read, copy and parse. On a
 * screen, the table fits the width, times are relative, and troubles have colours; an ellipsis behind the titles says
 * that columns were left out. Without a screen, nothing is cut.
 */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: Columns<Row>,
  screen?: Screen,
): { head: string; lines: string[] } {
  const all = Object.entries(columns).map(([title, show]) => {
    const cells = rows.map((row) => {
      const cell = show(row)
      return screen !== undefined && cell instanceof Date ? relativeTime(cell, screen.now) : formatCell(cell)
    })
    return { title, cells: [title.toUpperCase(), ...cells] }
  })
  const shown = screen === undefined ? all : fitColumns(all, screen.width, GAP.length)
  const [head = '', ...lines] = aligned(shown, screen)
  return { head: shown.length < all.length ? `${head} …` : head, lines }
}

/** Formats the fields of one record, one line for each. Each time on a screen has its age beside it. */
export function formatFields<Row>(row: Row, fields: Columns<Row>, screen?: Screen): string[] {
  const entries = Object.entries(fields)
  const width = Math.max(...entries.map(([title]) => stringWidth(title)))
  return entries.map(([title, show]) => {
    const cell = show(row)
    const text = formatCell(cell)
    const aged = screen !== undefined && cell instanceof Date ? `${text} (${relativeTime(cell, screen.now)})` : text
    return padded(title, width) + GAP + (screen?.mark(title, aged) ?? aged)
  })
}

const GAP = '   '

function aligned(columns: readonly TextColumn[], screen: Screen | undefined): string[] {
  const widths = columns.map(({ cells }) => Math.max(...cells.map((cell) => stringWidth(cell))))
  const height = columns[0]?.cells.length ?? 0
  return Array.from({ length: height }, (_, line) =>
    columns
      .map(({ title, cells }, index) => {
        const text = padded(cells[line] ?? '', index === columns.length - 1 ? 0 : (widths[index] ?? 0))
        return line === 0 || screen === undefined ? text : screen.mark(title, text)
      })
      .join(GAP),
  )
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)))
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
