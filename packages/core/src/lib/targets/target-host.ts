/**
 * The name and port of a subscription's target, as in `URL.host`. For each of these hosts, a worker limits how many
 * requests are in flight at once.
 */
export function targetHost(targetUrl: string): string {
  return URL.parse(targetUrl)?.host ?? ''
}
