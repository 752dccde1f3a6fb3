/** The part of a request that a route is found by. */
export interface RequestLine {
  /** The method to match: `GET` for a `HEAD`. */
  readonly method: string
  /** The URL up to its query. */
  readonly url: string
  /** The query, from its `?`; `''` when there is none. */
  readonly search: string
}

/**
 * Splits a request for itty-router. The query is cut off by hand, so that the URL is parsed once, when it is matched.
 * itty-router would read the query of every request, loses an empty first value (`limit=&limit=5`) and copies
 * quadratically when a parameter is repeated.
 */
export function requestLine({ method, url }: Request): RequestLine {
  const hash = url.indexOf('#')
  const end = hash === -1 ? url.length : hash
  const mark = url.indexOf('?')
  const query = mark === -1 || mark > end ? end : mark
  return { method: method === 'HEAD' ? 'GET' : method, url: url.slice(0, query), search: url.slice(query, end) }
}
