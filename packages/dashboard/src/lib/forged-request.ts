/**
 * Whether a write could come from another site. Browsers name the site that sends a request in `Sec-Fetch-Site` (older
 * browsers in `Origin`), and no page can forge these headers. A request with neither header counts as forged, because
 * it does not come from one of our forms. `Origin` is compared by host only: behind a proxy that terminates TLS, the
 * request arrives with another scheme than the browser used.
 */
export function isForged(request: Request): boolean {
  const site = request.headers.get('sec-fetch-site')
  if (site !== null) return site !== 'same-origin'
  const origin = request.headers.get('origin')
  if (origin === null || !URL.canParse(origin)) return true
  const host = request.headers.get('host') ?? new URL(request.url).host
  return new URL(origin).host !== host
}
