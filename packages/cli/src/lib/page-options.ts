import { Option } from 'commander'
import type { CommandContext } from './command-context.ts'
import { parseCount } from './option-values.ts'

/** The options that {@link limitOption} and {@link cursorOption} parse. */
export interface PageOptions {
  readonly limit: number
  readonly cursor?: string
}

/** The part of the config module that a command needs if {@link cursorOption} is used. */
export const CURSOR_KEYS = 'your secret keys, which sign cursors'

export function limitOption(): Option {
  return new Option('--limit <n>', 'list at most this many').argParser(parseCount).default(25)
}

export function cursorOption(): Option {
  return new Option('--cursor <cursor>', 'the nextCursor of the previous page')
}

/**
 * The note under a list that has more pages. It offers the cursor only if there is a config module, because no command
 * can verify a cursor without one.
 */
export async function moreNote({ platform }: Pick<CommandContext, 'platform'>, nextCursor: string): Promise<string> {
  const { configured } = await platform()
  return `There are more: raise --limit${configured ? `, or continue with --cursor ${nextCursor}` : ''}`
}
