import { CallboardApiError } from '@callboard/client'
import { CommandError } from '../command-error.ts'

const HINTS: Readonly<Record<string, string>> = {
  UNAUTHENTICATED: 'Is CALLBOARD_KEY a complete key of this platform, neither revoked nor expired?',
  UNREACHABLE: 'Is the platform running, and is CALLBOARD_URL (or --url) the address of its API?',
  RESPONSE_INVALID: "Is CALLBOARD_URL (or --url) the address of the platform's API, up to /v1?",
}

/** Turns an API error into a CommandError for the user of `callboard listen`. Returns any other error unchanged. */
export function toCommandError(error: unknown): unknown {
  if (!(error instanceof CallboardApiError)) return error
  const { code, message, requestId, issues } = error
  const hint = issues.some(({ path }) => path === 'targetUrl')
    ? 'Let the platform deliver to this machine with its option `targets` ' +
      '(if that has httpLoopbackHosts, add --target http://127.0.0.1:8789/), ' +
      'give the address of a tunnel with --target, or use --poll.'
    : HINTS[code]
  const parts = [requestId === undefined ? message : `${message} (${requestId})`, hint].flatMap((part) => part ?? [])
  return new CommandError(parts.join(' '), { cause: error })
}
