import type { CallboardError } from '@callboard/core'
import { type AnyCallboard, engineOf, validationFailed } from '@callboard/core/engine'
import { declaresMoreThan, readBody } from '@callboard/handler'
import type { Call } from './call.ts'
import { UNREADABLE_FORM } from './pages/issue-words.ts'
import type { DashboardViewer } from './viewer.ts'

/** The size limit of a posted form, in bytes. It is four times the size of the largest valid form. */
const FORM_BYTES = 65_536

export interface CallInput {
  readonly callboard: AnyCallboard
  readonly request: Request
  readonly requestId: string
  readonly viewer: DashboardViewer
  readonly basePath: string
  /** By default, event types have no descriptions. */
  readonly describe?: Call['describe'] | undefined
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
  describe = () => undefined,
  tests,
}: CallInput): Call {
  const { accountId, mode = 'live', can } = viewer
  return {
    callboard: { ...callboard, ...callboard.as({ type: 'viewer', id: viewer.id }) },
    engine: engineOf(callboard),
    request,
    requestId,
    accountId,
    mode,
    locale: localeOf(request.headers.get('accept-language')),
    query: new URL(request.url).searchParams,
    describe,
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
      if (type !== 'application/x-www-form-urlencoded') throw unreadable(UNREADABLE_FORM)
      return new URLSearchParams(await readText(request))
    },
  }
}

async function readText(request: Request): Promise<string> {
  const body = declaresMoreThan(FORM_BYTES, request) ? 'too-large' : await readBody(request, FORM_BYTES)
  if (body === 'too-large') throw unreadable('The form is too large.')
  if (body === 'broken-off') throw unreadable('The form arrived incomplete. Submit it again.')
  return new TextDecoder().decode(body)
}

function unreadable(message: string): CallboardError {
  return validationFailed({ path: '', code: 'FORMAT', message })
}

/** The first language in `Accept-Language` that `Intl` accepts; English if there is none. */
function localeOf(header: string | null): string {
  for (const part of (header ?? '').slice(0, 200).split(',')) {
    const tag = part.split(';')[0]?.trim() ?? ''
    try {
      const [locale] = Intl.getCanonicalLocales(tag)
      if (locale !== undefined && tag !== '') return locale
    } catch {
      // `*` or an invalid language tag: try the next entry.
    }
  }
  return 'en'
}
