/** The credentials in an `Authorization` value. */
export type Credentials =
  | { readonly kind: 'missing' }
  /** The value is not exactly one Bearer token. `sent` says whether it contains a Bearer token at all. */
  | { readonly kind: 'malformed'; readonly sent: boolean }
  | { readonly kind: 'token'; readonly token: string }

/**
 * The `b64token` of RFC 6750, section 2.1. A token contains neither commas nor spaces, so two headers that `Headers`
 * joined into one value (`Bearer a, Bearer b`) cannot match.
 */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i
const SOME_TOKEN = /\bbearer[ \t]+\S/i

/**
 * Reads the token from an `Authorization` value. The scheme is case-insensitive (RFC 9110, section 11.1). A value is
 * `malformed` if it has another scheme, no token or several tokens. An empty or absent value is `missing`.
 */
export function parseAuthorization(value: string | null | undefined): Credentials {
  const trimmed = value?.replace(/^[ \t]+|[ \t]+$/g, '') ?? ''
  if (trimmed === '') return { kind: 'missing' }
  const token = BEARER.exec(trimmed)?.[1]
  return token === undefined ? { kind: 'malformed', sent: SOME_TOKEN.test(trimmed) } : { kind: 'token', token }
}
