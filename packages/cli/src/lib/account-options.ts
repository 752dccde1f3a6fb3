import { MODES, type Mode } from '@callboard/core'
import { Option } from 'commander'

/** The option that {@link accountOption} parses. */
export interface OfAccount {
  readonly account: string
}

/** The option that {@link anyAccountOption} parses. */
export interface OfAnyAccount {
  readonly account?: string | undefined
}

/** The option that {@link modeOption} parses. */
export interface InMode {
  readonly mode: Mode
}

/** Creates the option `--account`, which names the account that a command works on. */
export function accountOption(): Option {
  return new Option('--account <id>', 'id of the account').env('CALLBOARD_ACCOUNT').makeOptionMandatory()
}

/**
 * Creates an optional `--account`. Without it, a command with the id of a subscription, key or event finds the account
 * by that id, and a list covers all accounts.
 */
export function anyAccountOption(without = 'the account that the given id belongs to'): Option {
  return new Option('--account <id>', `id of the account (default: ${without})`).env('CALLBOARD_ACCOUNT')
}

export function modeOption(): Option {
  return new Option('--mode <mode>', 'live or test').env('CALLBOARD_MODE').choices(MODES).default('live')
}
