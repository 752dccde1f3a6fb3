import { type Caller, createId, type RateWindowState } from '@callboard/core'

/** One request on its way through the router. */
export interface Call {
  readonly request: Request
  /** Fresh for every request, and in every response (contract, section 7). */
  readonly requestId: string
  /** What is matched: `GET` for a `HEAD`. */
  readonly method: string
  /** The URL up to its query. */
  readonly url: string
  /** The query, from its `?`; `''` when there is none. */
  readonly search: string
  /** How the key's windows stand, once the caller is known: every response from then on says so. */
  windows: readonly RateWindowState[] | undefined
  /** The endpoint's path with its parameters' names, once it is matched. */
  route: string | undefined
  /** Once the key is known. */
  caller: Caller | undefined
}

/**
 * The query is cut off by hand, so that the URL is parsed once, when it is matched. itty-router would read the query of
 * every request, loses an empty first value (`limit=&limit=5`) and copies quadratically when a parameter is repeated.
 */
export function createCall(request: Request): Call {
  const { url, method } = request
  const hash = url.indexOf('#')
  const end = hash === -1 ? url.length : hash
  const mark = url.indexOf('?')
  const query = mark === -1 || mark > end ? end : mark
  return {
    request,
    requestId: createId('req'),
    method: method === 'HEAD' ? 'GET' : method,
    url: url.slice(0, query),
    search: url.slice(query, end),
    windows: undefined,
    route: undefined,
    caller: undefined,
  }
}

/** The path as requested, mount prefix included, query left out (decisions, “Errors”). */
export function pathOf({ url }: Call): string {
  return url.slice(url.indexOf('/', url.indexOf('://') + 3))
}
