import { type Callboard, isCallboardError } from '@callboard/core'
import { wrongUsage } from './command-error.ts'

/** Returns the same Callboard, but its changes are recorded under the name in `CALLBOARD_OPERATOR`, if that is set. */
export function byOperator(callboard: Callboard, env: Readonly<Record<string, string | undefined>>): Callboard {
  try {
    return { ...callboard, ...callboard.as({ type: 'operator', id: env['CALLBOARD_OPERATOR'] }) }
  } catch (error) {
    if (!isCallboardError(error, 'VALIDATION_FAILED')) throw error
    throw wrongUsage('CALLBOARD_OPERATOR must be a name of 1 to 255 characters, not an e-mail address.')
  }
}
