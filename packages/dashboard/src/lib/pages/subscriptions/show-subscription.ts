import type { DeliveryState } from '@callboard/core'
import { COUNTED_RETRIES, type SubscriptionWithHealth } from '@callboard/core/store'
import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { actionButton } from '../../components/action-form.ts'
import { callout } from '../../components/callout.ts'
import { card } from '../../components/card.ts'
import { facts } from '../../components/facts.ts'
import { hourChart } from '../../components/hour-chart.ts'
import { notice } from '../../components/notice.ts'
import { duration, number, percent } from '../../components/number.ts'
import { pageHead } from '../../components/page-head.ts'
import { subscriptionBadge } from '../../components/state-badges.ts'
import { host, target } from '../../components/target.ts'
import { time } from '../../components/time.ts'
import { visibleText } from '../../components/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { attemptWords } from '../deliveries/attempt-words.ts'
import { deliveriesPreview } from '../deliveries/deliveries-preview.ts'
import { aboutCard } from './about-card.ts'
import { askedWithHealth } from './asked-subscription.ts'
import { whereToChange } from './manager.ts'
import { secretCard } from './secret-card.ts'
import { subscriptionActions } from './subscription-actions.ts'
import { lagInWords, stateInWords, successRate } from './subscription-state.ts'
import { SEND_AGAIN, whatToDo } from './what-to-do.ts'

const DONE = {
  changed: 'The changes are saved.',
  disabled: 'The subscription is disabled: no deliveries are made.',
  enabled: 'The subscription is enabled: what happens from now on is sent.',
}

/** One subscription: what is wrong and what to do, how it did lately, and what it is. */
export async function showSubscription(call: Call): Promise<Page> {
  const subscription = await askedWithHealth(call)
  const { targetUrl, description } = subscription
  const own = subscription.source === 'dashboard' && call.may('webhooks.write')
  const [exhausted, preview, about, secret] = await Promise.all([
    call.callboard.deliveries.list(subscription, { state: 'exhausted', limit: 1 }),
    deliveriesPreview(call, subscription),
    aboutCard(subscription, call),
    own && secretCard(subscription, call),
  ])
  return {
    title: description ?? new URL(targetUrl).host,
    section: 'subscriptions',
    live: true,
    body: html`
      <section aria-labelledby="title">
        ${pageHead(description === undefined ? host(targetUrl) : visibleText(description), {
          up: { text: 'Subscriptions', href: call.href('/subscriptions') },
          badge: subscriptionBadge(stateInWords(subscription, call).standing),
          lead: subscription.source === 'api' ? whereToChange(subscription, call) : target(targetUrl),
          actions: own && subscriptionActions(subscription, call),
        })}
        ${notice(call, DONE)}
        ${attention(subscription, exhausted.deliveries.length > 0, call)}
        <div class="columns">
          <div>
            ${card({ title: 'Last 24 hours' }, html`<div class="stack">${hourChart(call, subscription.health.hours)}${doing(subscription, call)}</div>`)}
            ${preview}
            ${secret}
          </div>
          <div>${about}</div>
        </div>
      </section>`,
  }
}

/** What is wrong and what to do; `exhausted`: some deliveries have used up their tries. */
function attention(subscription: SubscriptionWithHealth, exhausted: boolean, call: Call): Html {
  const step = whatToDo(subscription, call) ?? (exhausted ? SEND_AGAIN : undefined)
  if (step === undefined) return undefined
  const { id, state, health } = subscription
  const show = (which: DeliveryState, text: string, look = 'button button-quiet'): Html =>
    html`<a class=${look} href=${call.href(`/subscriptions/${id}/deliveries`, { state: which })}>${text}</a>`
  const again =
    call.may('webhooks.write') &&
    html`<a class=${health.failing === undefined ? 'button button-primary' : 'button'} href=${call.href(`/subscriptions/${id}/resend`)}>Send failed ones again</a>`
  return callout(step.tone, {
    title: step.title,
    body: step.body,
    actions:
      state === 'disabled'
        ? show('disabled', 'Show what was stopped', 'button')
        : [
            health.failing !== undefined && tryNow(subscription, call),
            exhausted && again,
            health.retriesWaiting > 0 && show('retrying', 'Show what is being retried'),
            exhausted && show('exhausted', 'Show what failed'),
          ],
  })
}

/** Makes the try that its pause puts off: if it arrives, what waits follows. */
function tryNow({ id, health: { lastAttempt } }: SubscriptionWithHealth, call: Call): Html {
  if (lastAttempt === undefined || !call.may('webhooks.write')) return undefined
  const action = call.href(`/subscriptions/${id}/deliveries/${lastAttempt.eventId}/resend`)
  return actionButton({ action, label: 'Try again now', look: 'primary' })
}

/** How it does, in numbers. */
function doing(subscription: SubscriptionWithHealth, call: Call): Html {
  const { health, state } = subscription
  const { lastAttempt, retriesWaiting, pausedUntil } = health
  const rate = successRate(subscription)
  const waiting = retriesWaiting >= COUNTED_RETRIES ? `${COUNTED_RETRIES} or more` : number(call, retriesWaiting)
  return facts([
    ['Delivered', rate === undefined ? 'nothing was sent' : `${percent(call, rate)} of the attempts`],
    [
      'Last attempt',
      lastAttempt === undefined
        ? 'none yet'
        : html`<span>${time(lastAttempt.at)}: <a href=${call.href(`/subscriptions/${subscription.id}/deliveries/${lastAttempt.eventId}`)}>${attemptWords(lastAttempt).short}</a>, took ${duration(call, lastAttempt.durationMs)}</span>`,
    ],
    state === 'disabled' ? undefined : ['Behind', lagInWords(subscription, call) ?? 'not at all'],
    state === 'disabled' ? undefined : ['Waiting for another try', waiting],
    state === 'disabled' || pausedUntil === undefined ? undefined : ['Next try', time(pausedUntil, { as: 'both' })],
  ])
}
