import { MODES, type Mode } from '@callboard/core'
import { Option } from 'commander'

/** The option that {@link accountOption} parses. */
export interface OfAccount {
  readonly account: string
}

/** The option that {@link modeOption} parses. */
export interface InMode {
  readonly mode: Mode
}

/** Names the account that a command works on. */
export function accountOption(): Option {
  return new Option('--account <id>', 'id of the account').env('CALLBOARD_ACCOUNT').makeOptionMandatory()
}

export function modeOption(): Option {
  return new Option('--mode <mode>', 'live or test').env('CALLBOARD_MODE').choices(MODES).default('live')
}
