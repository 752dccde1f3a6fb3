import { Option } from 'commander'
import { parseCount } from './option-values.ts'

/** What {@link limitOption} and {@link cursorOption} give to an action. */
export interface PageOptions {
  readonly limit: number
  readonly cursor?: string
}

/** What a command with {@link cursorOption} needs when a cursor is given. */
export const CURSOR_KEYS = 'your secret keys, which sign cursors'

export function limitOption(): Option {
  return new Option('--limit <n>', 'the most to list').argParser(parseCount).default(25)
}

export function cursorOption(): Option {
  return new Option('--cursor <cursor>', 'continue the previous list: its nextCursor')
}

/** The note under a list that continues. */
export function moreNote(nextCursor: string): string {
  return `There are more: raise --limit, or continue with --cursor ${nextCursor}`
}
