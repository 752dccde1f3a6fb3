import { isCallboardError } from '@callboard/core'

/**
 * Returns the `error.type` for a thrown value: Callboard's error code or `_OTHER`. Never returns an error's message,
 * because the messages of databases and schemas can quote your data.
 */
export function errorType(error: unknown): string {
  return isCallboardError(error) ? error.code : '_OTHER'
}
