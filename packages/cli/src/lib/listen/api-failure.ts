import { CallboardApiError } from '@callboard/client'
import { CommandError } from '../command-error.ts'

const HINTS: Readonly<Record<string, string>> = {
  UNAUTHENTICATED: 'Is CALLBOARD_KEY a complete key of this platform, neither revoked nor expired?',
  UNREACHABLE: 'Is the platform running, and is CALLBOARD_URL (or --url) the address of its API?',
  RESPONSE_INVALID: "Is CALLBOARD_URL (or --url) the address of the platform's API, up to /v1?",
}

/**
 * Turns an API error into a CommandError for the user of `callboard listen`. Returns any other error unchanged.
 *
 * @param path the file that holds the cursor.
 */
export function toCommandError(error: unknown, path: string): unknown {
  if (!(error instanceof CallboardApiError)) return error
  const { code, message, requestId, issues } = error
  const hint = issues.some((issue) => issue.path === 'after') ? `Remove ${path} to start now.` : HINTS[code]
  const parts = [requestId === undefined ? message : `${message} (${requestId})`, hint].flatMap((part) => part ?? [])
  return new CommandError(parts.join(' '), { cause: error })
}
