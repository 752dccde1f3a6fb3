import { createId } from '@callboard/core'
import type { Caller, RateWindowState } from '@callboard/core/store'
import { type RequestLine, requestLine } from '@callboard/handler'

/** One request on its way through the router. */
export interface Call extends RequestLine {
  readonly request: Request
  /** Fresh for every request, and in every response (contract, section 7). */
  readonly requestId: string
  /** How the key's windows stand, once the caller is known: every response from then on says so. */
  windows: readonly RateWindowState[] | undefined
  /** The endpoint's path with its parameters' names, once it is matched. */
  route: string | undefined
  /** Once the key is known. */
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

/** The path as requested, mount prefix included, query left out (decisions, “Errors”). */
export function pathOf({ url }: Call): string {
  return url.slice(url.indexOf('/', url.indexOf('://') + 3))
}
