/** What an `Authorization` value holds. */
export type Credentials =
  | { readonly kind: 'missing' }
  /** Something that is no credential; `sent`: a Bearer token was among it. */
  | { readonly kind: 'malformed'; readonly sent: boolean }
  | { readonly kind: 'token'; readonly token: string }

/**
 * RFC 6750, section 2.1: `b64token`. It has no comma and no space, so two values that `Headers` joined
 * (`Bearer a, Bearer b`) cannot match.
 */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i
const SOME_TOKEN = /\bbearer[ \t]+\S/i

/**
 * Takes the token out of an `Authorization` value (contract, section 5). The scheme is case-insensitive (RFC 9110,
 * section 11.1); another scheme, no token or more than one is `malformed`; no value or an empty one is `missing`.
 */
export function parseAuthorization(value: string | null | undefined): Credentials {
  const trimmed = value?.replace(/^[ \t]+|[ \t]+$/g, '') ?? ''
  if (trimmed === '') return { kind: 'missing' }
  const token = BEARER.exec(trimmed)?.[1]
  return token === undefined ? { kind: 'malformed', sent: SOME_TOKEN.test(trimmed) } : { kind: 'token', token }
}
