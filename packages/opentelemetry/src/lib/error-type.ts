import { isCallboardError } from '@callboard/core'

/**
 * Returns the `error.type` of a thrown value: at most its code, because messages of databases and schemas quote values.
 */
export function errorType(error: unknown): string {
  return isCallboardError(error) ? error.code : '_OTHER'
}
