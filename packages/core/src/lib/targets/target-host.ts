/** The name and port of a subscription's target, as in `URL.host`. A worker limits its requests to each such host. */
export function targetHost(targetUrl: string): string {
  return URL.parse(targetUrl)?.host ?? ''
}
