import { isCallboardError } from '@callboard/core'
import type { Page } from '../answer.ts'
import type { Call } from '../call.ts'
import { html } from '../html.ts'
import { DISABLED_BY_PLATFORM } from './subscriptions/who-enables.ts'

/** A reason why the dashboard itself refuses a request. */
export type Refusal = 'NOT_FOUND' | 'NOT_ALLOWED' | 'FORGED'

interface Problem {
  readonly status: number
  readonly title: string
  readonly text: string
}

const REFUSALS: Readonly<Record<Refusal, Problem>> = {
  NOT_FOUND: { status: 404, title: 'Not found', text: 'This page does not exist, or what it showed has been removed.' },
  NOT_ALLOWED: {
    status: 403,
    title: 'Access denied',
    text: 'You do not have permission for this. Ask an administrator of your account for access.',
  },
  FORGED: {
    status: 403,
    title: 'Request refused',
    text: 'The request did not come from this page, so nothing was changed. Reload the page and try again.',
  },
}

/**
 * The page for an error. For an unexpected error, the page shows only a reference, and the platform's `onError`
 * receives the cause.
 */
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
        <p><a class="button" href=${call.href('/')}>Back to the dashboard</a></p>
      </section>`,
  }
}

function problemOf(problem: unknown, call: Call): Problem {
  if (problem === 'NOT_FOUND' || problem === 'NOT_ALLOWED' || problem === 'FORGED') return REFUSALS[problem]
  if (isCallboardError(problem, 'NOT_FOUND') || isCallboardError(problem, 'ACCOUNT_UNKNOWN')) return REFUSALS.NOT_FOUND
  if (isCallboardError(problem, 'VALIDATION_FAILED'))
    return { status: 400, title: 'Invalid request', text: problem.message }
  if (isCallboardError(problem, 'SUBSCRIPTION_MANAGED'))
    return {
      status: 409,
      title: 'Managed elsewhere',
      text: 'The subscription was created through the API. Change it in the automation tool or program that created it.',
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
      title: 'Not rotated',
      text: 'The secret has already been rotated, and the new one was shown then. If nobody saved it, open the subscription and rotate it again.',
    }
  if (isCallboardError(problem, 'UNAVAILABLE'))
    return { status: 503, title: 'Temporarily unavailable', text: 'Try again in a few seconds.' }
  call.engine.hooks.onError(problem, { requestId: call.requestId })
  return {
    status: 500,
    title: 'Something went wrong on our side',
    text: 'Try again. If the problem persists, contact support and quote the reference below.',
  }
}
