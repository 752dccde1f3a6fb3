/**
 * Whether a write could come from another site. Browsers say where a request comes from in `Sec-Fetch-Site` (older
 * browsers in `Origin`), and no page can forge these headers. A request with neither header counts as forged, because
 * browsers send one of them with each form. Only the host of `Origin` is compared: behind a proxy that terminates TLS,
 * the request arrives with `http:` although the browser used `https:`.
 */
export function isForged(request: Request): boolean {
  const site = request.headers.get('sec-fetch-site')
  if (site !== null) return site !== 'same-origin'
  const origin = request.headers.get('origin')
  if (origin === null || !URL.canParse(origin)) return true
  const host = request.headers.get('host') ?? new URL(request.url).host
  return new URL(origin).host !== host
}
