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
import { versionCallout } from '../format-version.ts'
import { aboutCard } from './about-card.ts'
import { askedWithHealth } from './asked-subscription.ts'
import { whereToChange } from './manager.ts'
import { secretCard } from './secret-card.ts'
import { subscriptionActions } from './subscription-actions.ts'
import { heldBackInWords, lagInWords, stateInWords, successRate } from './subscription-state.ts'
import { RESEND, whatToDo } from './what-to-do.ts'

const DONE = {
  changed: 'Changes saved.',
  disabled: 'Subscription disabled. Nothing is delivered until it is enabled.',
  enabled: 'Subscription enabled. New events are delivered from now on.',
}

/** Shows one subscription: its problems and what to do about them, its recent health, and its settings. */
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
        ${turns(subscription, call)}
        ${version(subscription, call)}
        <div class="columns">
          <div>
            ${card({ title: 'Last 24 hours' }, html`<div class="stack">${hourChart(call, subscription.health.hours)}${numbers(subscription, call)}</div>`)}
            ${preview}
            ${secret}
          </div>
          <div>${about}</div>
        </div>
      </section>`,
  }
}

/** The callout that says what is wrong and what to do. `exhausted` tells whether any deliveries are exhausted. */
function attention(subscription: SubscriptionWithHealth, exhausted: boolean, call: Call): Html {
  const step = whatToDo(subscription, call) ?? (exhausted ? RESEND : undefined)
  if (step === undefined) return undefined
  const { id, state, health } = subscription
  const show = (which: DeliveryState, text: string, look = 'button button-quiet'): Html =>
    html`<a class=${look} href=${call.href(`/subscriptions/${id}/deliveries`, { state: which })}>${text}</a>`
  const again =
    call.may('webhooks.write') &&
    html`<a class=${health.failing === undefined ? 'button button-primary' : 'button'} href=${call.href(`/subscriptions/${id}/resend`)}>Resend deliveries</a>`
  return callout(step.tone, {
    title: step.title,
    body: step.body,
    actions:
      state === 'disabled'
        ? show('disabled', 'Show disabled deliveries', 'button')
        : [
            health.failing !== undefined && attemptNow(subscription, call),
            exhausted && again,
            health.retrying > 0 && show('retrying', 'Show retrying deliveries'),
            exhausted && show('exhausted', 'Show exhausted deliveries'),
          ],
  })
}

/** The callout that says that the subscription's format version is deprecated or has ended. */
function version({ source, apiVersion }: SubscriptionWithHealth, call: Call): Html {
  const how =
    source === 'api'
      ? 'The integration that manages the subscription can move it to another version.'
      : 'Edit the subscription to move it to another version, once its receiver understands that version.'
  return versionCallout(apiVersion, how, call)
}

/** The callout that says that deliveries wait because the target takes only so many requests at a time. */
function turns(subscription: SubscriptionWithHealth, call: Call): Html {
  const title = heldBackInWords(subscription, call)
  return (
    title &&
    callout('neutral', {
      title: `${title}.`,
      body: 'Deliveries wait for their turn, and waiting uses up no attempts. The limit rises while the target answers quickly and without errors.',
    })
  )
}

/**
 * The button that resends the last attempted delivery, even while deliveries are paused after failed attempts. If the
 * new attempt succeeds, the pause ends.
 */
function attemptNow({ id, health: { lastAttempt } }: SubscriptionWithHealth, call: Call): Html {
  if (lastAttempt === undefined || !call.may('webhooks.write')) return undefined
  const action = call.href(`/subscriptions/${id}/deliveries/${lastAttempt.eventId}/resend`)
  return actionButton({ action, label: 'Retry now', look: 'primary' })
}

/** The health of a subscription in numbers. */
function numbers(subscription: SubscriptionWithHealth, call: Call): Html {
  const { health, state } = subscription
  const { lastAttempt, retrying, pausedUntil } = health
  const rate = successRate(subscription)
  const retries = retrying >= COUNTED_RETRIES ? `${COUNTED_RETRIES} or more` : number(call, retrying)
  return facts([
    ['Success rate', rate === undefined ? 'no attempts' : `${percent(call, rate)} of attempts`],
    [
      'Last attempt',
      lastAttempt === undefined
        ? 'none yet'
        : html`<span>${time(lastAttempt.at)}: <a href=${call.href(`/subscriptions/${subscription.id}/deliveries/${lastAttempt.eventId}`)}>${attemptWords(lastAttempt).short}</a>, took ${duration(call, lastAttempt.durationMs)}</span>`,
    ],
    state === 'disabled' ? undefined : ['Lag', lagInWords(subscription, call) ?? 'none'],
    state === 'disabled' ? undefined : ['Retrying', retries],
    state === 'disabled' || pausedUntil === undefined ? undefined : ['Paused until', time(pausedUntil, { as: 'both' })],
  ])
}
