/** The name and port of a subscription's target, as in `URL.host`: the unit in which the worker limits its requests. */
export function targetHost(targetUrl: string): string {
  return URL.parse(targetUrl)?.host ?? ''
}
