/** A table in a page, with its cells as Markdown. */
export interface PageTable {
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

export function tablesOf(page: string): PageTable[] {
  const tables = prose(page).match(/(?:^\|.*\n)+/gm) ?? []
  return tables.map((table) => {
    const [header = [], , ...rows] = table.trimEnd().split('\n').map(cellsOf)
    return { header, rows }
  })
}

function cellsOf(line: string): string[] {
  const cells = line.replace(/^\| ?| ?\|$/g, '').split(/(?<!\\)\|/)
  return cells.map((cell) => cell.trim())
}

/** The contents of the code spans in some Markdown, excluding blocks of code. */
export function codeSpans(text: string): string[] {
  return [...prose(text).matchAll(/`([^`]+)`/g)].flatMap(([, code]) => code?.replace(/\s+/g, ' ') ?? [])
}

/** The page without its blocks of code. */
const prose = (page: string): string => page.replace(/^(`{3,}).*?^\1$/gms, '')

const UNITS: Readonly<Record<string, number>> = {
  KiB: 1024,
  s: 1_000,
  seconds: 1_000,
  min: 60_000,
  minutes: 60_000,
  h: 3_600_000,
  hour: 3_600_000,
  hours: 3_600_000,
  days: 86_400_000,
}

const WORDS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']

/** Converts a text such as `2,048` or `five` to a number. */
export function numberOf(text: string): number {
  const word = WORDS.indexOf(text)
  return word < 0 ? Number(text.replaceAll(',', '')) : word
}

/**
 * The numbers in a text. A number with a unit is converted to bytes or milliseconds: `16 KiB` is 16,384, and `30 days`
 * is 2,592,000,000.
 */
export function quantities(text: string): number[] {
  const found = [...text.matchAll(/(\d[\d,]*)(?: (KiB|s|seconds|min|minutes|h|hours?|days)\b)?/g)]
  return found.map(([, digits = '', unit = '']) => numberOf(digits) * (UNITS[unit] ?? 1))
}
