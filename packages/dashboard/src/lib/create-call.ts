import { type AnyCallboard, engineOf } from '@callboard/core/engine'
import { declaresMoreThan, readBody, requestLine } from '@callboard/handler'
import type { DashboardBrand } from './brand.ts'
import type { Call } from './call.ts'
import { type Describe, textsOf } from './event-type-texts.ts'
import type { DashboardTexts } from './texts/english.ts'
import { timeZoneOf, zoneCookie } from './time-zone.ts'
import { UnreadableFormError } from './unreadable-form.ts'
import type { DashboardViewer } from './viewer.ts'

/** The size limit of a posted form, in bytes. It is four times the size of the largest valid form. */
const FORM_BYTES = 65_536

export interface CallInput {
  readonly callboard: AnyCallboard
  readonly request: Request
  readonly requestId: string
  readonly viewer: DashboardViewer
  readonly basePath: string
  readonly texts: DashboardTexts
  /** By default, the pages name no product. */
  readonly brand?: DashboardBrand | undefined
  /** By default, event types have the texts in the catalogue. */
  readonly describe?: Describe | undefined
  /** By default, test events are not offered. */
  readonly tests?: Call['tests']
}

/**
 * Creates the {@link Call} that is passed to the route's handler. `params` is empty, because the route is not known
 * yet.
 */
export function createCall({
  callboard,
  request,
  requestId,
  viewer,
  basePath,
  texts,
  brand,
  describe,
  tests,
}: CallInput): Call {
  const { accountId, mode = 'live', timeZone, can } = viewer
  return {
    callboard: { ...callboard, ...callboard.as({ type: 'viewer', id: viewer.id }) },
    engine: engineOf(callboard),
    request,
    requestId,
    accountId,
    mode,
    texts,
    brand,
    timeZone: timeZoneOf(timeZone, request),
    zoneCookie: timeZone === undefined && request.method === 'GET' ? zoneCookie(basePath) : undefined,
    query: new URLSearchParams(requestLine(request).search),
    describe: (type) => textsOf(type, describe),
    tests,
    params: {},
    may: (permission) => can.includes(permission),
    href(path, query = {}) {
      const search = new URLSearchParams()
      for (const [name, value] of Object.entries(query))
        if (value !== undefined && value !== '') search.set(name, value)
      return `${basePath}${path}${search.size === 0 ? '' : `?${search}`}`
    },
    async form() {
      const [type] = (request.headers.get('content-type') ?? '').split(';')
      if (type !== 'application/x-www-form-urlencoded') throw new UnreadableFormError('unreadableForm')
      return new URLSearchParams(await readText(request))
    },
  }
}

async function readText(request: Request): Promise<string> {
  const body = declaresMoreThan(FORM_BYTES, request) ? 'too-large' : await readBody(request, FORM_BYTES)
  if (body === 'too-large') throw new UnreadableFormError('formTooLarge')
  if (body === 'broken-off') throw new UnreadableFormError('formIncomplete')
  return new TextDecoder().decode(body)
}
