import stringWidth from 'string-width'

/** A column of a table as text, with its title in the first cell. */
export interface TextColumn {
  readonly title: string
  readonly cells: readonly string[]
}

/** Columns that people copy from, so they are never cut. */
const WHOLE = new Set(['id', 'event', 'subscription', 'account', 'of', 'trouble', 'state', 'last answer'])

/** The columns that a narrow terminal leaves out, the least important first. After these, the last column goes. */
const LEAST_IMPORTANT_FIRST = [
  ...['version', 'created', 'ordering', 'integration', 'event types', 'scopes', 'oldest pending', 'took', 'retrying'],
  ...['target', 'attempts', 'sequence', 'last attempt', 'type', 'account', 'since', 'last answer'],
]

/** No column is cut to less than this, so that the rest of a text still says something. */
const LEAST_WIDTH = 16

/** The space for the mark behind the titles that says that columns were left out. */
const MARK_WIDTH = 2

/**
 * Makes the columns of a table fit the width of a terminal. Cuts the widest columns first, and ends a cut text with an
 * ellipsis. If that is not enough, leaves out columns: first those without any value, then the least important.
 */
export function fitColumns(columns: readonly TextColumn[], width: number, gap: number): TextColumn[] {
  const shown = columns.map((column) => {
    const natural = Math.max(...column.cells.map((cell) => stringWidth(cell)))
    return { column, natural, least: WHOLE.has(column.title) ? natural : Math.min(natural, LEAST_WIDTH) }
  })
  const room = (): number => width - gap * (shown.length - 1) - (shown.length < columns.length ? MARK_WIDTH : 0)
  while (shown.length > 1 && sumOf(shown.map(({ least }) => least)) > room())
    shown.splice(leastImportant(shown.map(({ column }) => column)), 1)

  // Every column gets as much as it needs, up to the highest limit at which the table fits.
  let limit = width
  const widths = (): number[] => shown.map(({ natural, least }) => Math.max(least, Math.min(natural, limit)))
  while (limit > LEAST_WIDTH && sumOf(widths()) > room()) limit--
  const fitting = widths()
  return shown.map(({ column }, index) => ({
    ...column,
    cells: column.cells.map((cell) => cut(cell, fitting[index] ?? 0)),
  }))
}

/** The index of the column to leave out first. */
function leastImportant(columns: readonly TextColumn[]): number {
  const empty = columns.findIndex(({ cells }) => cells.slice(1).every((cell) => cell === '-'))
  if (empty !== -1) return empty
  const listed = LEAST_IMPORTANT_FIRST.find((title) => columns.some((column) => column.title === title))
  return listed === undefined ? columns.length - 1 : columns.findIndex(({ title }) => title === listed)
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Cuts a text to a width, without splitting a character that people see as one. A cut text ends with an ellipsis. */
export function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text
  let kept = ''
  let used = 1 // the ellipsis
  for (const { segment } of graphemes.segment(text)) {
    used += stringWidth(segment)
    if (used > width) break
    kept += segment
  }
  return `${kept}…`
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0)
}
