import { isCallboardError } from '@callboard/core'
import type { Page } from '../answer.ts'
import type { Call } from '../call.ts'
import { html } from '../html.ts'
import { DISABLED_BY_PLATFORM } from './subscriptions/who-enables.ts'

/** What the dashboard itself refuses. */
export type Refusal = 'NOT_FOUND' | 'NOT_ALLOWED' | 'FORGED'

interface Problem {
  readonly status: number
  readonly title: string
  readonly text: string
}

const REFUSALS: Readonly<Record<Refusal, Problem>> = {
  NOT_FOUND: { status: 404, title: 'Not found', text: 'There is no such page, or what it showed has been removed.' },
  NOT_ALLOWED: {
    status: 403,
    title: 'You may not see this',
    text: 'Your sign-in does not include it. Ask whoever manages your account for access.',
  },
  FORGED: {
    status: 403,
    title: 'Not done',
    text: 'The request did not come from this page, so nothing was changed. Load the page again and repeat it here.',
  },
}

/** A page for what went wrong. Of a fault it says nothing but a reference; the cause goes to the platform's hook. */
export function problemPage(problem: unknown, call: Call): Page {
  const { status, title, text } = problemOf(problem, call)
  return {
    status,
    title,
    body: html`
      <section class="problem">
        <h1>${title}</h1>
        <p>${text}</p>
        ${status >= 500 ? html`<p class="reference">Reference: <code>${call.requestId}</code></p>` : undefined}
        <p><a class="button" href=${call.href('/')}>Back to the start</a></p>
      </section>`,
  }
}

function problemOf(problem: unknown, call: Call): Problem {
  if (problem === 'NOT_FOUND' || problem === 'NOT_ALLOWED' || problem === 'FORGED') return REFUSALS[problem]
  if (isCallboardError(problem, 'NOT_FOUND') || isCallboardError(problem, 'ACCOUNT_UNKNOWN')) return REFUSALS.NOT_FOUND
  if (isCallboardError(problem, 'VALIDATION_FAILED')) return { status: 400, title: 'Not done', text: problem.message }
  if (isCallboardError(problem, 'SUBSCRIPTION_MANAGED'))
    return {
      status: 409,
      title: 'Not changed here',
      text: 'The subscription was created through the API. Change it where it was created: in its automation, or with the program that holds the API key.',
    }
  if (isCallboardError(problem, 'DISABLED_BY_PLATFORM'))
    return {
      status: 409,
      title: 'Not enabled',
      text: `${DISABLED_BY_PLATFORM.title} ${DISABLED_BY_PLATFORM.body}`,
    }
  if (isCallboardError(problem, 'SECRET_ROTATED'))
    return {
      status: 409,
      title: 'Not done',
      text: 'The secret has been rotated meanwhile and was shown then. If nobody kept it, open the subscription and rotate it once more.',
    }
  if (isCallboardError(problem, 'UNAVAILABLE'))
    return { status: 503, title: 'Not reachable at the moment', text: 'Try again in a few seconds.' }
  call.engine.hooks.onError(problem, { requestId: call.requestId })
  return {
    status: 500,
    title: 'Something went wrong on our side',
    text: 'Try again. If it stays, quote the reference to support.',
  }
}
