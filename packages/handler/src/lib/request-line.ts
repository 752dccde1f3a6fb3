/** The parts of a request that determine its route. */
export interface RequestLine {
  /** The method to match; `GET` for a `HEAD` request. */
  readonly method: string
  /** The URL without its query. Its host is always `localhost`. */
  readonly url: string
  /** The query, from its `?`; `''` when there is none. */
  readonly search: string
}

/**
 * Splits a request for itty-router. The query is removed from the URL, because itty-router would otherwise parse the
 * query of every request, lose an empty first value (`limit=&limit=5`), and copy a repeated parameter in quadratic
 * time. The host is replaced, because it determines no route, and may be missing (HTTP/1.0) or invalid: Bun and Deno
 * then have a URL that itty-router cannot parse.
 */
export function requestLine({ method, url }: Request): RequestLine {
  const hash = url.indexOf('#')
  const end = hash === -1 ? url.length : hash
  const mark = url.indexOf('?')
  const query = mark === -1 || mark > end ? end : mark
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('://') + 3)
  return {
    method: method === 'HEAD' ? 'GET' : method,
    url: `http://localhost${start === -1 ? '/' : url.slice(start, query)}`,
    search: url.slice(query, end),
  }
}
