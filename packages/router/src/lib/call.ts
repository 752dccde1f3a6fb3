import { createId } from '@callboard/core'
import type { Caller, RateWindowState } from '@callboard/core/store'
import { type RequestLine, requestLine } from '@callboard/handler'

/** A request on its way through the router. */
export interface Call extends RequestLine {
  readonly request: Request
  /** New for every request, and part of every response. */
  readonly requestId: string
  /** The key's rate-limit windows. Set once the key is known, so that the response has rate-limit headers. */
  windows: readonly RateWindowState[] | undefined
  /** The endpoint's path with its parameters' names. Set once a route matches. */
  route: string | undefined
  /** Set once the key is known. */
  caller: Caller | undefined
}

export function createCall(request: Request): Call {
  return {
    request,
    requestId: createId('req'),
    ...requestLine(request),
    windows: undefined,
    route: undefined,
    caller: undefined,
  }
}

/** The path as requested, with the mount prefix and without the query. */
export function pathOf({ url }: Call): string {
  return url.slice(url.indexOf('/', url.indexOf('://') + 3))
}
