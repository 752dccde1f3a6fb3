/**
 * Adds security headers to responses. Pages may load only our own script and styles. Only sites in `frameAncestors` can
 * show a page in a frame. Other sites do not see the referrer. A response without a `cache-control` header is not
 * cached.
 */
export function secured(frameAncestors: readonly string[]): (response: Response) => Response {
  const ancestors = frameAncestors.length === 0 ? "'none'" : frameAncestors.join(' ')
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${ancestors}`,
  ].join('; ')
  return (response) => {
    const { headers } = response
    headers.set('content-security-policy', policy)
    headers.set('x-content-type-options', 'nosniff')
    headers.set('referrer-policy', 'same-origin')
    headers.set('cross-origin-resource-policy', 'same-origin')
    if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
    return response
  }
}
