/** The parts of a request that determine its route. */
export interface RequestLine {
  /** The method to match: `GET` for a `HEAD`. */
  readonly method: string
  /** The URL up to its query. */
  readonly url: string
  /** The query, from its `?`; `''` when there is none. */
  readonly search: string
}

/**
 * Splits a request for itty-router. The query is cut off here, so that the URL is parsed only once, when it is matched.
 * itty-router would parse the query of every request, lose an empty first value (`limit=&limit=5`), and copy a repeated
 * parameter in quadratic time.
 */
export function requestLine({ method, url }: Request): RequestLine {
  const hash = url.indexOf('#')
  const end = hash === -1 ? url.length : hash
  const mark = url.indexOf('?')
  const query = mark === -1 || mark > end ? end : mark
  return { method: method === 'HEAD' ? 'GET' : method, url: url.slice(0, query), search: url.slice(query, end) }
}
