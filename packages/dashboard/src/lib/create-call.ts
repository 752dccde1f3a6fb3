import { CallboardError } from '@callboard/core'
import type { Call, DashboardCallboard } from './call.ts'
import type { DashboardViewer } from './viewer.ts'

/** Bytes of a form at most: all fields at their longest fit in a quarter of it. */
const FORM_BYTES = 65_536

export interface CallInput {
  readonly callboard: DashboardCallboard
  readonly request: Request
  readonly requestId: string
  readonly viewer: DashboardViewer
  readonly basePath: string
  /** Gives none by default. */
  readonly describe?: Call['describe'] | undefined
  /** None by default. */
  readonly tests?: Call['tests']
}

/** What is known of a request before its route is. */
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
    callboard,
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
      if (type !== 'application/x-www-form-urlencoded')
        throw unreadable('The form could not be read. Load the page again.')
      return new URLSearchParams(await readText(request))
    },
  }
}

/** No more of it is read than a form may have, whatever its sender says of its length. */
async function readText({ headers, body }: Request): Promise<string> {
  const tooLarge = unreadable('The form is too large.')
  if (Number(headers.get('content-length')) > FORM_BYTES) throw tooLarge
  if (body === null) return ''
  // Not `for await`: leaving such a loop cancels the stream, which in Node cuts the connection before the answer is out.
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (let bytes = 0; ; ) {
    const { done, value } = await reader.read().catch(() => {
      throw unreadable('The form broke off. Send it again.')
    })
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    if (bytes > FORM_BYTES) throw tooLarge
    text += decoder.decode(value, { stream: true })
  }
}

function unreadable(message: string): CallboardError {
  return new CallboardError('VALIDATION_FAILED', message)
}

/** The first language that `Intl` takes; English when there is none. */
function localeOf(header: string | null): string {
  for (const part of (header ?? '').slice(0, 200).split(',')) {
    const tag = part.split(';')[0]?.trim() ?? ''
    try {
      const [locale] = Intl.getCanonicalLocales(tag)
      if (locale !== undefined && tag !== '') return locale
    } catch {
      // Not a language tag: `*`, or nonsense.
    }
  }
  return 'en'
}
