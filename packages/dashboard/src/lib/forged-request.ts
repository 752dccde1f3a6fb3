/**
 * Whether a write could come from another site. Browsers say where a request comes from in `Sec-Fetch-Site` (older
 * browsers in `Origin`), and no page can forge these headers. A request with neither counts as forged. Only the host of
 * `Origin` is compared, because behind a proxy that terminates TLS, an `https:` request arrives as `http:`.
 */
export function isForged(request: Request): boolean {
  const site = request.headers.get('sec-fetch-site')
  if (site !== null) return site !== 'same-origin'
  const origin = request.headers.get('origin')
  if (origin === null || !URL.canParse(origin)) return true
  const host = request.headers.get('host') ?? new URL(request.url).host
  return new URL(origin).host !== host
}
