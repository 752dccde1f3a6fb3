/**
 * Adds security headers to responses. Pages load only our own script and styles, and only sites in `frameAncestors` can
 * show them in a frame. Other sites do not see the referrer. Responses are not cached by default.
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
