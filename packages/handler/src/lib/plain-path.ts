/**
 * Whether a text is a path that routes can be put below: `''`, or segments of unreserved characters (RFC 3986, section
 * 2.3) without a slash at the end. No such character has a meaning of its own in `pathPattern`, so the path matches
 * itself only.
 */
export function isPlainPath(text: string): boolean {
  return /^(?:\/[A-Za-z0-9._~-]+)*$/.test(text)
}
