import type { DeliveryState, LoggedAttempt, SubscriptionWithHealth } from '@callboard/core'
import { subscriptionName } from '@callboard/core/engine'
import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { callout } from '../../components/callout.ts'
import { notice } from '../../components/notice.ts'
import { pageHead } from '../../components/page-head.ts'
import { subscriptionBadge } from '../../components/state-badges.ts'
import { nameOf } from '../../components/subscription-name.ts'
import { target } from '../../components/target.ts'
import { type Html, html } from '../../html.ts'
import { localTime } from '../../time-zone.ts'
import { attemptResponse } from '../deliveries/attempts-timeline.ts'
import { deliveriesPreview, PREVIEWED } from '../deliveries/deliveries-preview.ts'
import { failingDeliveries, lastFailed } from '../deliveries/failing-deliveries.ts'
import { versionCallout } from '../format-version.ts'
import { unreadableList } from '../unreadable-list.ts'
import { aboutCard } from './about-card.ts'
import { askedWithHealth } from './asked-subscription.ts'
import { askedRange, attemptsCard } from './attempts-card.ts'
import { whereToChange } from './manager.ts'
import { secretCard } from './secret-card.ts'
import { mend, subscriptionActions, supportLink } from './subscription-actions.ts'
import { stateInWords } from './subscription-state.ts'
import { lateRotation, secretLinks } from './suspected-secret.ts'
import { heldBackBecause, resendExhausted, whatToDo } from './what-to-do.ts'

/** Shows one subscription: its problems and what to do about them, its recent health, and its settings. */
export async function showSubscription(call: Call): Promise<Page> {
  const asked = await askedWithHealth(call)
  const { accountId, mode, id: subscriptionId } = asked
  const range = askedRange(call)
  if (range === undefined) return unreadableList(call, `/subscriptions/${subscriptionId}`)
  const words = call.texts.subscriptions
  const own = asked.source === 'dashboard' && call.may('webhooks.write')
  const { deliveries } = call.callboard
  const [failing, newest, last, history, about, secret] = await Promise.all([
    failingDeliveries(call, asked),
    deliveries.list({ accountId, mode, subscriptionId, limit: PREVIEWED }),
    deliveries.attempts({ accountId, mode, subscriptionId, limit: 1 }),
    call.callboard.subscriptions.history({ accountId, mode, id: subscriptionId }),
    aboutCard(asked, call),
    own && secretCard(asked, call),
  ])
  const [lastTry] = last.attempts
  // If an attempt ended while the page was being read, the health is from before it: read it again.
  const isOutdated = lastTry?.startedAt.getTime() !== asked.health.lastAttempt?.at.getTime()
  const subscription = isOutdated ? await askedWithHealth(call) : asked
  const rotated = await lateRotation(subscription, lastTry, call)
  return {
    title: subscriptionName(subscription),
    section: 'subscriptions',
    live: true,
    body: html`
      <section aria-labelledby="title">
        ${pageHead(nameOf(subscription), {
          up: { text: words.title, href: call.href('/subscriptions') },
          badge: subscriptionBadge(call, stateInWords(subscription, call).state),
          lead: lead(subscription, call),
          actions: own && subscriptionActions(subscription, call),
        })}
        ${notice(call, { ...words.done, enabled: [words.done.enabled, ' ', await missedLink(subscription, call)] })}
        ${attention(subscription, { exhausted: failing.exhausted.length > 0, last: lastTry, rotated }, call)}
        ${turns(subscription, call)}
        ${version(subscription, call)}
        <div class="columns">
          <div>
            ${attemptsCard({ subscription, history, range }, call)}
            ${deliveriesPreview(call, subscription, {
              failed: lastFailed(failing),
              newest: newest.deliveries,
              // Whoever enabled it: the platform leaves no notice on this page.
              actions:
                subscription.state === 'active' &&
                call.may('webhooks.write') &&
                newest.deliveries.some(({ state }) => state === 'disabled') &&
                html`<a class="button" href=${missedHref(subscription, call)}>${words.resendMissed}</a>`,
            })}
            ${secret}
          </div>
          <div>${about}</div>
        </div>
      </section>`,
  }
}

/**
 * For a subscription created through the API, says where to change it. For any other, shows the target, unless it is
 * the page's title.
 */
function lead(subscription: SubscriptionWithHealth, call: Call): Html {
  if (subscription.source === 'api') return whereToChange(subscription, call)
  return subscription.description === undefined ? undefined : target(subscription.targetUrl)
}

/** After enabling, the link that resends the deliveries which ended when the subscription was disabled, if any did. */
async function missedLink(subscription: SubscriptionWithHealth, call: Call): Promise<Html> {
  if (call.query.get('done') !== 'enabled' || !call.may('webhooks.write')) return undefined
  const { accountId, mode, id: subscriptionId } = subscription
  const ended = { accountId, mode, subscriptionId, state: 'disabled', limit: 1 } as const
  const { deliveries } = await call.callboard.deliveries.list(ended)
  if (deliveries.length === 0) return undefined
  return html`<a href=${missedHref(subscription, call)}>${call.texts.subscriptions.resendMissed}</a>`
}

/** Where the deliveries are resent that ended whenever the subscription was disabled. */
function missedHref({ id, createdAt }: SubscriptionWithHealth, call: Call): string {
  const since = { since: 'time', at: localTime(createdAt, call.timeZone), zone: call.timeZone }
  return call.href(`/subscriptions/${id}/resend`, { ...since, state: 'disabled', count: 'on' })
}

interface Course {
  /** Whether any deliveries are exhausted. */
  readonly exhausted: boolean
  readonly last: LoggedAttempt | undefined
  /** When the secret was rotated, if that may be why the last attempt failed. */
  readonly rotated: string | undefined
}

/** The callout that says what is wrong and what to do, with the response of the last attempt if it failed. */
function attention(subscription: SubscriptionWithHealth, { exhausted, last, rotated }: Course, call: Call): Html {
  const step =
    whatToDo(subscription, call, { response: last?.response, rotated }) ??
    (exhausted ? resendExhausted(call) : undefined)
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
    body: [
      html`<p>${step.body}</p>`,
      health.failing !== undefined &&
        last?.status !== undefined &&
        last.outcome !== 'delivered' &&
        attemptResponse(last, call, { open: true, title: words.lastResponse }),
    ],
    actions:
      state === 'disabled'
        ? [supportLink(subscription, call), show('disabled', words.showDisabled, 'button')]
        : [
            mend(subscription, call, 'primary'),
            secretLinks(subscription, last, call),
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

/** The callout that says that deliveries wait because workers limit their concurrent requests to the target's host. */
function turns(subscription: SubscriptionWithHealth, call: Call): Html {
  const because = heldBackBecause(subscription, call)
  return because && callout(because.tone, because)
}
