import { Option } from 'commander'
import { parseCount } from './option-values.ts'

/** What {@link limitOption} and {@link cursorOption} give to an action. */
export interface PageOptions {
  readonly limit: number
  readonly cursor?: string
}

/** What a command with {@link cursorOption} needs when a cursor is given. */
export const CURSOR_KEYS = 'your secret keys, which cursors are signed with'

export function limitOption(): Option {
  return new Option('--limit <n>', 'how many at most').argParser(parseCount).default(25)
}

export function cursorOption(): Option {
  return new Option('--cursor <cursor>', 'go on behind the list before: its nextCursor')
}

/** What is said under a list that goes on. */
export function moreNote(nextCursor: string): string {
  return `There are more: ask for a larger --limit, or go on with --cursor ${nextCursor}`
}
