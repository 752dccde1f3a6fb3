import { isCallboardError } from '@callboard/core'

/** `error.type` of something thrown. Its code at most: messages of databases and schemas quote values. */
export function errorType(error: unknown): string {
  return isCallboardError(error) ? error.code : '_OTHER'
}
