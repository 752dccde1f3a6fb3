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
import { resendExhausted, whatToDo } from './what-to-do.ts'

/** Shows one subscription: its problems and what to do about them, its recent health, and its settings. */
export async function showSubscription(call: Call): Promise<Page> {
  const subscription = await askedWithHealth(call)
  const { targetUrl, description } = subscription
  const words = call.texts.subscriptions
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
          up: { text: words.title, href: call.href('/subscriptions') },
          badge: subscriptionBadge(call, stateInWords(subscription, call).standing),
          lead: subscription.source === 'api' ? whereToChange(subscription, call) : target(targetUrl),
          actions: own && subscriptionActions(subscription, call),
        })}
        ${notice(call, words.done)}
        ${attention(subscription, exhausted.deliveries.length > 0, call)}
        ${turns(subscription, call)}
        ${version(subscription, call)}
        <div class="columns">
          <div>
            ${card({ title: words.lastDay }, html`<div class="stack">${hourChart(call, subscription.health.hours)}${numbers(subscription, call)}</div>`)}
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
  const step = whatToDo(subscription, call) ?? (exhausted ? resendExhausted(call) : undefined)
  if (step === undefined) return undefined
  const { id, state, health } = subscription
  const words = call.texts.subscriptions
  const show = (which: DeliveryState, text: string, look = 'button button-quiet'): Html =>
    html`<a class=${look} href=${call.href(`/subscriptions/${id}/deliveries`, { state: which })}>${text}</a>`
  const again =
    call.may('webhooks.write') &&
    html`<a class=${health.failing === undefined ? 'button button-primary' : 'button'} href=${call.href(`/subscriptions/${id}/resend`)}>${words.resendDeliveries}</a>`
  return callout(step.tone, {
    title: step.title,
    body: step.body,
    actions:
      state === 'disabled'
        ? show('disabled', words.showDisabled, 'button')
        : [
            health.failing !== undefined && attemptNow(subscription, call),
            exhausted && again,
            health.retrying > 0 && show('retrying', words.showRetrying),
            exhausted && show('exhausted', words.showExhausted),
          ],
  })
}

/** The callout that says that the subscription's format version is deprecated or has ended. */
function version({ source, apiVersion }: SubscriptionWithHealth, call: Call): Html {
  const { moveThroughIntegration, moveByEditing } = call.texts.subscriptions
  const how = source === 'api' ? moveThroughIntegration : moveByEditing
  return versionCallout(apiVersion, how, call)
}

/** The callout that says that deliveries wait because the target takes only so many requests at a time. */
function turns(subscription: SubscriptionWithHealth, call: Call): Html {
  const title = heldBackInWords(subscription, call)
  return (
    title &&
    callout('neutral', {
      title: `${title}.`,
      body: call.texts.subscriptions.heldBackBody,
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
  return actionButton({ action, label: call.texts.subscriptions.retryNow, look: 'primary' })
}

/** The health of a subscription in numbers. */
function numbers(subscription: SubscriptionWithHealth, call: Call): Html {
  const { health, state } = subscription
  const { lastAttempt, retrying, pausedUntil } = health
  const words = call.texts.subscriptions
  const rate = successRate(subscription)
  const retries = retrying >= COUNTED_RETRIES ? words.orMore(number(call, COUNTED_RETRIES)) : number(call, retrying)
  return facts([
    [words.successRate, rate === undefined ? words.noAttempts : words.ofAttempts(percent(call, rate))],
    [
      words.lastAttempt,
      lastAttempt === undefined
        ? words.noneYet
        : words.lastAttemptTook(
            time(call, lastAttempt.at),
            html`<a href=${call.href(`/subscriptions/${subscription.id}/deliveries/${lastAttempt.eventId}`)}>${attemptWords(call, lastAttempt).short}</a>`,
            duration(call, lastAttempt.durationMs),
          ),
    ],
    state === 'disabled' ? undefined : [words.lag, lagInWords(subscription, call) ?? words.noLag],
    state === 'disabled' ? undefined : [words.retrying, retries],
    state === 'disabled' || pausedUntil === undefined
      ? undefined
      : [words.pausedUntil, time(call, pausedUntil, { as: 'both' })],
  ])
}
