/**
 * Whether a write may come from another site. Browsers say where a request comes from (Fetch Metadata; older ones by `Origin`), and no
 * page can make them say otherwise. What says neither is no form of ours, and refused as well. The host is compared, not the scheme:
 * behind a proxy that ends TLS the request's own is not the browser's.
 */
export function isForged(request: Request): boolean {
  const site = request.headers.get('sec-fetch-site')
  if (site !== null) return site !== 'same-origin'
  const origin = request.headers.get('origin')
  if (origin === null || !URL.canParse(origin)) return true
  const host = request.headers.get('host') ?? new URL(request.url).host
  return new URL(origin).host !== host
}
