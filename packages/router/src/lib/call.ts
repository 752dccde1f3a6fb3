import { createId } from '@callboard/core'
import type { Caller, RateWindowState } from '@callboard/core/store'
import { type RequestLine, requestLine } from '@callboard/handler'

/** A request on its way through the router. */
export interface Call extends RequestLine {
  readonly request: Request
  /** The router's id for this request. The response contains it as `x-request-id`. */
  readonly requestId: string
  /**
   * The state of the key's rate-limit windows, for the rate-limit headers. Undefined until the key has been checked.
   */
  windows: readonly RateWindowState[] | undefined
  /** The headers that name the format version of the response. Undefined until the key has been checked. */
  versionHeaders: Readonly<Record<string, string>> | undefined
  /** The endpoint's path, with parameter names in place of values. Undefined until a route matches. */
  route: string | undefined
  /** The sender of the request. Undefined until the key has been checked. */
  caller: Caller | undefined
}

export function createCall(request: Request): Call {
  return {
    request,
    requestId: createId('req'),
    ...requestLine(request),
    windows: undefined,
    versionHeaders: undefined,
    route: undefined,
    caller: undefined,
  }
}

/** The path as requested: it includes the mount prefix, but not the query. */
export function pathOf({ url }: Call): string {
  return url.slice(url.indexOf('/', url.indexOf('://') + 3))
}
