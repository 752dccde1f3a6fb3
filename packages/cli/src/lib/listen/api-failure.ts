import { CallboardApiError } from '@callboard/client'
import { CommandError } from '../command-error.ts'

const HINTS: Readonly<Record<string, string>> = {
  UNAUTHENTICATED: 'Is CALLBOARD_KEY the key of this platform, whole, and neither revoked nor expired?',
  UNREACHABLE: 'Is the platform running, and CALLBOARD_URL (or --url) where its API is?',
  RESPONSE_INVALID: 'Is CALLBOARD_URL (or --url) where its API is, up to /v1?',
}

/** What the API refused, in words for who called `callboard listen`; anything else as it is. */
export function toCommandError(error: unknown): unknown {
  if (!(error instanceof CallboardApiError)) return error
  const { code, message, requestId, issues } = error
  const hint = issues.some(({ path }) => path === 'targetUrl')
    ? 'Let the platform deliver to this machine (its option `targets`; with httpLoopbackHosts there, add --target http://127.0.0.1:8789/), name an address of a tunnel by --target, or use --poll.'
    : HINTS[code]
  const parts = [requestId === undefined ? message : `${message} (${requestId})`, hint].flatMap((part) => part ?? [])
  return new CommandError(parts.join(' '), { cause: error })
}
