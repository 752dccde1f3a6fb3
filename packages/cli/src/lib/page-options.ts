import { Option } from 'commander'
import { parseCount } from './option-values.ts'

/** The options that {@link limitOption} and {@link cursorOption} parse. */
export interface PageOptions {
  readonly limit: number
  readonly cursor?: string
}

/** What a command with {@link cursorOption} needs from the config module when a cursor is given. */
export const CURSOR_KEYS = 'your secret keys, which sign cursors'

export function limitOption(): Option {
  return new Option('--limit <n>', 'how many to list at most').argParser(parseCount).default(25)
}

export function cursorOption(): Option {
  return new Option('--cursor <cursor>', 'the nextCursor of the previous page')
}

/** The note under a list that continues. */
export function moreNote(nextCursor: string): string {
  return `There are more: raise --limit, or continue with --cursor ${nextCursor}`
}
