import { CallboardError } from './errors.ts'
import { isReservedHeader } from './subscriptions/signature-formats.ts'

/** Names that Callboard uses in HTTP headers. */
export interface HeaderNames {
  /** `User-Agent` of requests to targets; `Callboard/` and the version by default. */
  readonly userAgent?: string | undefined
  /** The realm in `WWW-Authenticate` of a 401 (RFC 9110, section 11.5); `callboard` by default. */
  readonly realm?: string | undefined
  /** The header that marks a test event; `callboard-test` by default. */
  readonly test?: string | undefined
}

/** `userAgent` is undefined if the worker's own name applies. */
export interface ReadHeaderNames {
  readonly userAgent: string | undefined
  readonly realm: string
  readonly test: string
}

const RULES = {
  userAgent: [/^[!-~](?:[ -~]{0,253}[!-~])?$/, '1 to 255 visible ASCII characters'],
  realm: [/^[ !#-[\]-~]{1,255}$/, '1 to 255 ASCII characters without quotation marks and backslashes'],
  test: [
    /^(?!authorization$)[a-z0-9-]{1,64}$/,
    '1 to 64 characters (a-z, 0-9 and hyphens) that name no header with a meaning of its own',
  ],
} as const

/** @throws CallboardError `CONFIGURATION_INVALID` for a name that cannot stand in its header. */
export function readHeaderNames({
  userAgent,
  realm = 'callboard',
  test = 'callboard-test',
}: HeaderNames = {}): ReadHeaderNames {
  const names = { userAgent, realm, test }
  for (const [name, [pattern, rule]] of Object.entries(RULES)) {
    const value = names[name as keyof typeof names]
    const isTaken = name === 'test' && isReservedHeader(`${value}`)
    if (value !== undefined && (isTaken || !pattern.test(value)))
      throw new CallboardError('CONFIGURATION_INVALID', `headerNames.${name} must be ${rule}.`)
  }
  return names
}
