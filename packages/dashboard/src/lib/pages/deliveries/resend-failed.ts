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

/** Where one chooses what to send again. */
export async function chooseResend(call: Call): Promise<Page> {
  return choosing(await askedSubscription(call), call)
}

/**
 * Takes one step of a range: to the script it says how many were sent again, when the last event that was looked at was published, and
 * the `next` to post for the step after; to a browser without it, the same as a page with a button. Stopped and continued, or done
 * again from the start, it sends nothing twice.
 */
export async function resendFailed(call: Call): Promise<Answer> {
  const form = await call.form()
  const subscription = await askedSubscription(call)
  const script = (call.request.headers.get('accept') ?? '').includes('application/json')
  try {
    const steps = readSteps(form, call.engine.now())
    const { from, states, cursor } = steps
    const { resent, reachedAt, nextCursor } = await call.callboard.deliveries.resendRange(subscription, {
      from,
      states,
      cursor,
    })
    const soFar = steps.resent + resent
    const next = nextCursor === null ? null : writeNext({ ...steps, resent: soFar, cursor: nextCursor })
    if (script) return { json: { resent, reachedAt: reachedAt ?? null, next } }
    return stepTaken({ ...steps, resent: soFar }, { reachedAt, next }, subscription, call)
  } catch (error) {
    const disabled = isCallboardError(error, 'SUBSCRIPTION_DISABLED')
    if (!disabled && !isCallboardError(error, 'VALIDATION_FAILED')) throw error
    const status = disabled ? 409 : 400
    const issues = error.issues.map((issue) => (issue.path === 'cursor' ? UNREADABLE_NEXT : issue))
    if (script) return { json: { message: disabled ? DISABLED : (issues[0]?.message ?? UNREADABLE_FORM) }, status }
    return choosing(subscription, call, { form, issues, status })
  }
}

/** To a page that was open when the subscription was disabled. */
const DISABLED = 'The subscription is disabled. Its page says how it gets enabled again.'

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
    `${firstThen(undefined, howToEnable(subscription, call))} What it missed can then be sent again.`,
    html`<a class="button" href=${call.href(`/subscriptions/${subscription.id}`)}>To the subscription</a>`,
  )
}

interface Reached {
  readonly reachedAt: Date | undefined
  readonly next: string | null
}

function stepTaken(
  { from, until, resent }: ResendSteps,
  { reachedAt, next }: Reached,
  subscription: SubscriptionRecord,
  call: Call,
): Page {
  const deliveries = call.href(`/subscriptions/${subscription.id}/deliveries`)
  const done = next === null
  return page(subscription, call, {
    body: card(
      { title: done ? 'Done' : 'Not all have been looked at yet' },
      html`
        <div class="stack">
          ${stepProgress(call, { from, until, reachedAt: done ? until : reachedAt, resent })}
          <p role="status">${done ? finished(resent, call) : 'Go on until all have been looked at. You can stop at any time: whenever you begin again, nothing is sent twice.'}</p>
          <div class="actions">
            ${
              next !== null &&
              html`
                <form method="post" action=${call.href(`/subscriptions/${subscription.id}/resend`)}>
                  <input type="hidden" name="next" value=${next} />
                  <button class="button button-primary" type="submit">Go on</button>
                </form>`
            }
            <a class="button" href=${deliveries}>${done ? 'See the deliveries' : 'Stop here'}</a>
          </div>
        </div>`,
    ),
  })
}

function finished(resent: number, call: Call): string {
  if (resent === 0) return 'There was nothing to send again.'
  return resent === 1 ? 'One delivery is sent again now.' : `${number(call, resent)} deliveries are sent again now.`
}

function page(subscription: SubscriptionRecord, call: Call, { status, body }: Pick<Page, 'status' | 'body'>): Page {
  return {
    title: `Send again to ${new URL(subscription.targetUrl).host}`,
    section: 'subscriptions',
    status,
    body: html`
      <section aria-labelledby="title">
        ${pageHead('Send again', {
          up: { text: 'Deliveries', href: call.href(`/subscriptions/${subscription.id}/deliveries`) },
          lead: html`<span>What did not arrive at ${host(subscription.targetUrl)}</span>`,
        })}
        ${body}
      </section>`,
  }
}
