/** The credentials in an `Authorization` value. */
export type Credentials =
  | { readonly kind: 'missing' }
  /** Anything but one Bearer token. `sent` says whether a Bearer token was part of it. */
  | { readonly kind: 'malformed'; readonly sent: boolean }
  | { readonly kind: 'token'; readonly token: string }

/**
 * `b64token` of RFC 6750, section 2.1. It allows neither comma nor space, so two values that `Headers` joined
 * (`Bearer a, Bearer b`) cannot match.
 */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i
const SOME_TOKEN = /\bbearer[ \t]+\S/i

/**
 * Reads the token from an `Authorization` value. The scheme is case-insensitive (RFC 9110, section 11.1). Another
 * scheme, no token or more than one is `malformed`; no value or an empty one is `missing`.
 */
export function parseAuthorization(value: string | null | undefined): Credentials {
  const trimmed = value?.replace(/^[ \t]+|[ \t]+$/g, '') ?? ''
  if (trimmed === '') return { kind: 'missing' }
  const token = BEARER.exec(trimmed)?.[1]
  return token === undefined ? { kind: 'malformed', sent: SOME_TOKEN.test(trimmed) } : { kind: 'token', token }
}
