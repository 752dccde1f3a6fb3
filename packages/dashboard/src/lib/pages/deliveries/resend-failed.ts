import { isCallboardError, type SubscriptionRecord } from '@callboard/core'
import type { Answer, Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { card } from '../../components/card.ts'
import { emptyState } from '../../components/empty-state.ts'
import { errorSummary } from '../../components/error-summary.ts'
import { number } from '../../components/number.ts'
import { pageHead } from '../../components/page-head.ts'
import { stepProgress } from '../../components/step-progress.ts'
import { host } from '../../components/target.ts'
import { type Html, html } from '../../html.ts'
import { UNREADABLE_FORM } from '../issue-words.ts'
import { askedSubscription } from '../subscriptions/asked-subscription.ts'
import { firstThen, howToEnable } from '../subscriptions/who-enables.ts'
import { type ResendFailedFormOptions, resendFailedForm } from './resend-failed-form.ts'
import { type ResendSteps, readSteps, UNREADABLE_NEXT, writeNext } from './resend-steps.ts'

/** The page for choosing which deliveries to resend. */
export async function chooseResend(call: Call): Promise<Page> {
  return choosing(await askedSubscription(call), call)
}

/**
 * Resends the deliveries of the next part of a time range. The script receives the number of deliveries resent, the
 * publication time of the last event examined, and the `next` to post for the following step. Without the script, the
 * viewer gets a page with a button for the following step. Nothing is resent twice, even if the viewer stops and
 * continues, or starts over.
 */
export async function resendFailed(call: Call): Promise<Answer> {
  const form = await call.form()
  const subscription = await askedSubscription(call)
  const script = (call.request.headers.get('accept') ?? '').includes('application/json')
  try {
    const steps = readSteps(form, call.engine.now())
    const { from, states, cursor } = steps
    const step = await call.callboard.deliveries.resendRange(subscription, { from, states, cursor })
    const { resent, waiting, reachedAt, nextCursor } = step
    const soFar = { ...steps, resent: steps.resent + resent, waiting: steps.waiting + waiting }
    const next = nextCursor === null ? null : writeNext({ ...soFar, cursor: nextCursor })
    if (script) return { json: { resent, waiting, reachedAt: reachedAt ?? null, next } }
    return stepTaken(soFar, { reachedAt, next }, subscription, call)
  } catch (error) {
    const disabled = isCallboardError(error, 'SUBSCRIPTION_DISABLED')
    if (!disabled && !isCallboardError(error, 'VALIDATION_FAILED')) throw error
    const status = disabled ? 409 : 400
    const issues = error.issues.map((issue) => (issue.path === 'cursor' ? UNREADABLE_NEXT : issue))
    if (script) return { json: { message: disabled ? DISABLED : (issues[0]?.message ?? UNREADABLE_FORM) }, status }
    return choosing(subscription, call, { form, issues, status })
  }
}

/** The message if the viewer opened the form before the subscription was disabled. */
const DISABLED = 'The subscription is disabled. Its page shows how to enable it.'

interface Choosing extends ResendFailedFormOptions {
  readonly status?: number | undefined
}

function choosing(subscription: SubscriptionRecord, call: Call, { status, ...options }: Choosing = {}): Page {
  const form = resendFailedForm(call, subscription, options)
  return page(subscription, call, {
    status,
    body: form
      ? html`<div>${errorSummary(options.issues ?? [])}${card({}, form)}</div>`
      : disabledFirst(subscription, call),
  })
}

function disabledFirst(subscription: SubscriptionRecord, call: Call): Html {
  return emptyState(
    'The subscription is disabled',
    `${firstThen(undefined, howToEnable(subscription, call))} Deliveries it missed can then be resent.`,
    html`<a class="button" href=${call.href(`/subscriptions/${subscription.id}`)}>View subscription</a>`,
  )
}

interface Reached {
  readonly reachedAt: Date | undefined
  readonly next: string | null
}

function stepTaken(
  { from, until, resent, waiting }: ResendSteps,
  { reachedAt, next }: Reached,
  subscription: SubscriptionRecord,
  call: Call,
): Page {
  const deliveries = call.href(`/subscriptions/${subscription.id}/deliveries`)
  const done = next === null
  return page(subscription, call, {
    body: card(
      { title: done ? 'Done' : 'Not finished yet' },
      html`
        <div class="stack">
          ${stepProgress(call, { from, until, reachedAt: done ? until : reachedAt, resent })}
          <p role="status">${done ? finished(resent, waiting, call) : 'Continue until the whole range has been checked. You can stop at any time: nothing is resent twice if you start again.'}</p>
          <div class="actions">
            ${
              next !== null &&
              html`
                <form method="post" action=${call.href(`/subscriptions/${subscription.id}/resend`)}>
                  <input type="hidden" name="next" value=${next} />
                  <button class="button button-primary" type="submit">Continue</button>
                </form>`
            }
            <a class="button" href=${deliveries}>${done ? 'View deliveries' : 'Stop here'}</a>
          </div>
        </div>`,
    ),
  })
}

function finished(resent: number, waiting: number, call: Call): string {
  const parts = [
    resent > 0 &&
      (resent === 1 ? '1 delivery is being resent.' : `${number(call, resent)} deliveries are being resent.`),
    waiting > 0 &&
      (waiting === 1
        ? '1 delivery is due or not attempted yet, and will be sent in its turn.'
        : `${number(call, waiting)} deliveries are due or not attempted yet, and will be sent in their turn.`),
  ].filter((part) => part !== false)
  return parts.length === 0 ? 'There was nothing to resend.' : parts.join(' ')
}

function page(subscription: SubscriptionRecord, call: Call, { status, body }: Pick<Page, 'status' | 'body'>): Page {
  return {
    title: `Resend deliveries to ${new URL(subscription.targetUrl).host}`,
    section: 'subscriptions',
    status,
    body: html`
      <section aria-labelledby="title">
        ${pageHead('Resend deliveries', {
          up: { text: 'Deliveries', href: call.href(`/subscriptions/${subscription.id}/deliveries`) },
          lead: html`<span>To ${host(subscription.targetUrl)}</span>`,
        })}
        ${body}
      </section>`,
  }
}
