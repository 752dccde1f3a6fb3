/**
 * The name of a URL's host: without the dot that ends a fully qualified name, which leads to the same host, and without
 * the brackets of an IPv6 address.
 */
export function hostName({ hostname }: URL): string {
  return hostname.replace(/\.$/, '').replace(/^\[(.*)\]$/, '$1')
}

/**
 * The name and port of a subscription's target, as in `URL.host`, but without the name's trailing dot. For each of
 * these hosts, a worker limits how many requests are in flight at once.
 */
export function targetHost(targetUrl: string): string {
  const url = URL.parse(targetUrl)
  return url === null ? '' : hostAndPort(url)
}

/** A URL's host as in `URL.host`, but without the name's trailing dot. */
export function hostAndPort(url: URL): string {
  const name = hostName(url)
  return `${name.includes(':') ? `[${name}]` : name}${url.port === '' ? '' : `:${url.port}`}`
}
