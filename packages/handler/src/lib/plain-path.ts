/**
 * Whether a string can be the base path of routes: `''`, or segments of unreserved characters (RFC 3986, section 2.3)
 * without a trailing slash. None of these characters is special to `pathPattern`, so the path matches only itself.
 */
export function isPlainPath(text: string): boolean {
  return /^(?:\/[A-Za-z0-9._~-]+)*$/.test(text)
}
