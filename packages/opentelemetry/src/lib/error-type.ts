import { isCallboardError } from '@callboard/core'

/**
 * Returns the `error.type` for a thrown value: Callboard's error code or `_OTHER`. Never returns a message, because
 * messages from databases and schemas quote values.
 */
export function errorType(error: unknown): string {
  return isCallboardError(error) ? error.code : '_OTHER'
}
