import { isCallboardError } from '@callboard/core'
import { prefixOf } from '@callboard/core/store'
import { requestLine } from '@callboard/handler'
import type { Page } from '../answer.ts'
import type { Call } from '../call.ts'
import { count } from '../components/number.ts'
import { html } from '../html.ts'
import { UnreadableFormError } from '../unreadable-form.ts'

interface Problem {
  readonly status: number
  readonly title: string
  readonly text: string
}

/**
 * The page for an error, or for a request that the dashboard itself refuses with `NOT_FOUND`, `NOT_ALLOWED` or
 * `FORGED`. For an unexpected error, the page shows only the request id, and the platform's `onError` receives the
 * error.
 */
export function problemPage(problem: unknown, call: Call): Page {
  const { status, title, text } = problemOf(problem, call)
  const { reference, back } = call.texts.problems
  const other = status === 404 ? otherKind(call) : undefined
  const support = call.brand?.support
  return {
    status,
    title,
    body: html`
      <section class="problem">
        <h1>${title}</h1>
        <p>${other?.text ?? text}</p>
        ${status >= 500 ? html`<p class="reference">${reference} <code>${call.requestId}</code></p>` : undefined}
        <p class="actions">
          ${other?.href !== undefined && html`<a class="button" href=${other.href}>${other.view}</a>`}
          <a class="button" href=${call.href('/')}>${back}</a>
          ${support !== undefined && html`<a class="button" href=${support}>${call.texts.common.contactSupport}</a>`}
        </p>
      </section>`,
  }
}

/** The kinds of ids that pages have in their paths, by what stands before them. */
const KINDS: Readonly<Record<string, 'sub' | 'evt' | 'key'>> = {
  subscriptions: 'sub',
  deliveries: 'evt',
  events: 'evt',
  keys: 'key',
}
const PAGES = {
  sub: { path: '/subscriptions', needs: 'webhooks.read' },
  evt: { path: '/events', needs: 'events.read' },
  key: { path: '/keys', needs: 'keys.read' },
} as const

/** Says what an id in the path belongs to, if its place is that of another kind's id. */
function otherKind(call: Call): { readonly text: string; readonly view: string; readonly href?: string } | undefined {
  const parts = requestLine(call.request).url.split('/')
  for (const [index, part] of parts.entries()) {
    const kind = KINDS[parts[index - 1] ?? '']
    const found = prefixOf(part)
    if (kind === undefined || found === kind || (found !== 'sub' && found !== 'evt' && found !== 'key')) continue
    const words = call.texts.problems.otherKind[found]
    const { path, needs } = PAGES[found]
    return call.may(needs) ? { ...words, href: call.href(`${path}/${part}`) } : words
  }
  return undefined
}

function problemOf(problem: unknown, call: Call): Problem {
  const { problems, advice } = call.texts
  if (problem === 'NOT_ALLOWED') return { status: 403, ...problems.notAllowed }
  if (problem === 'FORGED') return { status: 403, ...problems.forged }
  if (problem === 'NOT_FOUND' || isCallboardError(problem, 'NOT_FOUND') || isCallboardError(problem, 'ACCOUNT_UNKNOWN'))
    return { status: 404, ...problems.notFound }
  if (problem instanceof UnreadableFormError)
    return { status: 400, title: problems.invalid, text: problems[problem.text] }
  if (isCallboardError(problem, 'VALIDATION_FAILED'))
    return { status: 400, title: problems.invalid, text: problems.otherIssue(problem) }
  if (isCallboardError(problem, 'SUBSCRIPTION_MANAGED')) return { status: 409, ...problems.managed }
  if (isCallboardError(problem, 'DISABLED_BY_PLATFORM')) {
    const { title, body } = advice.disabledByPlatform
    return { status: 409, title: problems.notEnabled, text: `${title} ${body}` }
  }
  if (isCallboardError(problem, 'SECRET_ROTATED')) return { status: 409, ...problems.secretRotated }
  if (isCallboardError(problem, 'RATE_LIMITED'))
    return {
      status: 429,
      title: problems.tooManyChanges.title,
      text: problems.tooManyChanges.text(count(call, problem.retryAfter ?? 60)),
    }
  if (isCallboardError(problem, 'UNAVAILABLE')) return { status: 503, ...problems.unavailable }
  call.engine.hooks.onError(problem, { requestId: call.requestId })
  return { status: 500, ...problems.unexpected }
}
