import { MODES, type Mode } from '@callboard/core'
import { Option } from 'commander'

/** What {@link accountOption} gives to an action. */
export interface OfAccount {
  readonly account: string
}

/** What {@link modeOption} gives to an action. */
export interface InMode {
  readonly mode: Mode
}

/** The account that a command works on. */
export function accountOption(): Option {
  return new Option('--account <id>', 'id of the account').env('CALLBOARD_ACCOUNT').makeOptionMandatory()
}

export function modeOption(): Option {
  return new Option('--mode <mode>', 'live or test').env('CALLBOARD_MODE').choices(MODES).default('live')
}
