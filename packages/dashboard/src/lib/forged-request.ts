/**
 * Whether a write may come from another site. Browsers send its origin (`Sec-Fetch-Site`, older ones `Origin`), and no
 * page can forge these headers. A request with neither is refused, because it does not come from one of our forms. Only
 * hosts are compared: behind a proxy that terminates TLS, the request's scheme is not the browser's.
 */
export function isForged(request: Request): boolean {
  const site = request.headers.get('sec-fetch-site')
  if (site !== null) return site !== 'same-origin'
  const origin = request.headers.get('origin')
  if (origin === null || !URL.canParse(origin)) return true
  const host = request.headers.get('host') ?? new URL(request.url).host
  return new URL(origin).host !== host
}
