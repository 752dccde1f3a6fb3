import { type Issue, isCallboardError, type RangeCount, type SubscriptionRecord } from '@callboard/core'
import { subscriptionName } from '@callboard/core/engine'
import type { Answer, Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { card } from '../../components/card.ts'
import { emptyState } from '../../components/empty-state.ts'
import { errorSummary } from '../../components/error-summary.ts'
import { count } from '../../components/number.ts'
import { pageHead } from '../../components/page-head.ts'
import { stepProgress } from '../../components/step-progress.ts'
import { nameOf } from '../../components/subscription-name.ts'
import { clockTime } from '../../components/time.ts'
import { type Html, html } from '../../html.ts'
import { askedSubscription, askedWithHealth } from '../subscriptions/asked-subscription.ts'
import { howToEnable, keepsMissed } from '../subscriptions/who-enables.ts'
import { fixedStart, resendConfirmation } from './resend-confirmation.ts'
import { type ResendFailedFormOptions, resendFailedForm } from './resend-failed-form.ts'
import { resendOutlook } from './resend-outlook.ts'
import { lostProgress, type ResendSteps, readSteps, writeNext } from './resend-steps.ts'

/**
 * The page for choosing which deliveries to resend. Once the viewer has chosen, it says how many they are before it
 * resends them.
 */
export async function chooseResend(call: Call): Promise<Page> {
  const subscription = await askedWithHealth(call)
  const form = call.query.has('since') ? call.query : undefined
  if (subscription.state === 'disabled') return choosing(subscription, call)
  const outlook = await resendOutlook(subscription, call)
  if (!call.query.has('count')) return choosing(subscription, call, { form, outlook })
  try {
    const steps = readSteps(call.query, call)
    const [from, { states }] = [fixedStart(steps, call), steps]
    const { accountId, mode, id: subscriptionId } = subscription
    const counted = await call.callboard.deliveries
      .countRange({ accountId, mode, subscriptionId, from, states })
      .catch(uncounted)
    return page(subscription, call, {
      body: [outlook, resendConfirmation(subscription, { from, states }, counted, call)],
    })
  } catch (error) {
    const { status, issues } = refusalOf(error, call)
    return choosing(subscription, call, { form, outlook, issues, status })
  }
}

/** A count that takes too long must not keep anybody from resending. */
function uncounted(error: unknown): RangeCount {
  if (!isCallboardError(error, 'UNAVAILABLE')) throw error
  return { resent: 0, waiting: 0, complete: false }
}

/**
 * Resends the deliveries of the next part of a time range. The dashboard's script receives the progress in words, and
 * `next`, which it posts to take the following step. Without JavaScript, the viewer gets a page with a button for that
 * step. Nothing is resent twice, even if the viewer starts over.
 */
export async function resendFailed(call: Call): Promise<Answer> {
  const form = await call.form()
  const subscription = await askedSubscription(call)
  const script = (call.request.headers.get('accept') ?? '').includes('application/json')
  try {
    const steps = readSteps(form, call)
    const { from, states, cursor } = steps
    const { accountId, mode, id: subscriptionId } = subscription
    const range = { accountId, mode, subscriptionId, from, states, cursor }
    const step = await call.callboard.deliveries.resendRange(range)
    const { resent, waiting, reachedAt, nextCursor } = step
    const soFar = { ...steps, resent: steps.resent + resent, waiting: steps.waiting + waiting }
    const next = nextCursor === null ? null : writeNext({ ...soFar, cursor: nextCursor })
    if (script) return { json: { soFar: soFarInWords(soFar, { reachedAt, next }, call), next } }
    return stepTaken(soFar, { reachedAt, next }, subscription, call)
  } catch (error) {
    const { status, issues, message } = refusalOf(error, call)
    return script ? { json: { message }, status } : choosing(subscription, call, { form, issues, status })
  }
}

interface Refusal {
  readonly status: number
  readonly issues: readonly Issue[]
  /** What the dashboard's script shows. */
  readonly message: string
}

/** Puts the reason why a range cannot be resent into words. Throws all other errors. */
function refusalOf(error: unknown, call: Call): Refusal {
  const { deliveries, problems } = call.texts
  if (isCallboardError(error, 'SUBSCRIPTION_DISABLED'))
    return { status: 409, issues: [], message: deliveries.range.disabled }
  if (!isCallboardError(error, 'VALIDATION_FAILED')) throw error
  const issues = error.issues.map((issue) => (issue.path === 'cursor' ? lostProgress(call) : issue))
  return { status: 400, issues, message: issues[0]?.message ?? problems.unreadableForm }
}

interface Choosing extends ResendFailedFormOptions {
  readonly status?: number | undefined
  /** What will become of resent deliveries. */
  readonly outlook?: Html
}

function choosing(subscription: SubscriptionRecord, call: Call, { status, outlook, ...options }: Choosing = {}): Page {
  const form = resendFailedForm(call, subscription, options)
  return page(subscription, call, {
    status,
    body: form
      ? [errorSummary(call, options.issues ?? []), outlook, card({}, form)]
      : disabledFirst(subscription, call),
  })
}

function disabledFirst(subscription: SubscriptionRecord, call: Call): Html {
  const { advice, deliveries, subscriptions } = call.texts
  return emptyState(
    deliveries.refused.disabled,
    [howToEnable(subscription, call).alone, ...(keepsMissed(subscription) ? [advice.missed] : [])].join(' '),
    html`<a class="button" href=${call.href(`/subscriptions/${subscription.id}`)}>${subscriptions.view}</a>`,
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
  const { view, range: words } = call.texts.deliveries
  return page(subscription, call, {
    body: card(
      { title: done ? words.done : words.notFinished },
      html`
        <div class="stack">
          ${stepProgress(call, { from, until, reachedAt: done ? until : reachedAt, resent })}
          <p role="status">${done ? finished(resent, waiting, call) : words.goOn}</p>
          <div class="actions">
            ${
              next !== null &&
              html`
                <form method="post" action=${call.href(`/subscriptions/${subscription.id}/resend`)}>
                  <input type="hidden" name="next" value=${next} />
                  <button class="button button-primary" type="submit">${words.continue}</button>
                </form>`
            }
            <a class="button" href=${deliveries}>${done ? view : words.stopHere}</a>
          </div>
        </div>`,
    ),
  })
}

/** The text in which the dashboard's script shows the progress of resending. */
function soFarInWords({ resent, waiting }: ResendSteps, { reachedAt, next }: Reached, call: Call): string {
  const { range } = call.texts.deliveries
  if (next === null) return finished(resent, waiting, call)
  const soFar = count(call, resent)
  return reachedAt === undefined ? range.soFar(soFar) : range.soFarUpTo(soFar, clockTime(call, reachedAt))
}

function finished(resent: number, waiting: number, call: Call): string {
  const { range } = call.texts.deliveries
  const parts = [
    resent > 0 && range.resent(count(call, resent)),
    waiting > 0 && range.waiting(count(call, waiting)),
  ].filter((part) => part !== false)
  return parts.length === 0 ? range.nothing : parts.join(' ')
}

function page(subscription: SubscriptionRecord, call: Call, { status, body }: Pick<Page, 'status' | 'body'>): Page {
  const { deliveries: words } = call.texts
  return {
    title: words.range.titleTo(subscriptionName(subscription)),
    section: 'subscriptions',
    status,
    body: html`
      <section aria-labelledby="title">
        ${pageHead(words.resendDeliveries, {
          up: { text: words.title, href: call.href(`/subscriptions/${subscription.id}/deliveries`) },
          lead: words.range.lead(nameOf(subscription)),
        })}
        ${body}
      </section>`,
  }
}
