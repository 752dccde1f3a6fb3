import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { callout } from '../../components/callout.ts'
import { card } from '../../components/card.ts'
import { copyable } from '../../components/copyable.ts'
import { facts } from '../../components/facts.ts'
import { pageHead } from '../../components/page-head.ts'
import { subscriptionBadge } from '../../components/state-badges.ts'
import { host } from '../../components/target.ts'
import { time } from '../../components/time.ts'
import { visibleText } from '../../components/visible-text.ts'
import { html } from '../../html.ts'
import { askedSubscription } from './asked-subscription.ts'
import { managedBy, whereToChange } from './manager.ts'
import { stateInWords } from './subscription-state.ts'

/** One subscription: how it stands, and what it is. */
export async function showSubscription(call: Call): Promise<Page> {
  const subscription = await askedSubscription(call)
  const { standing, reason } = stateInWords(subscription)
  const { targetUrl, eventTypes, externalRef, source } = subscription
  return {
    title: new URL(targetUrl).host,
    section: 'subscriptions',
    live: true,
    body: html`
      <section aria-labelledby="title">
        ${pageHead(host(targetUrl), {
          up: { text: 'Subscriptions', href: call.href('/subscriptions') },
          badge: subscriptionBadge(standing),
          lead: managedBy(subscription, call),
        })}
        ${reason && callout('warning', { title: reason })}
        ${source === 'api' && callout('neutral', { title: whereToChange(subscription, call) })}
        ${card(
          { title: 'About' },
          facts([
            ['Target', copyable(targetUrl, 'target')],
            ['Events', eventTypes.join(', ')],
            ['Managed by', managedBy(subscription, call)],
            externalRef === undefined ? undefined : ['External reference', visibleText(externalRef)],
            ['Mode', subscription.mode],
            ['API version', subscription.apiVersion],
            ['Made', time(subscription.createdAt, { as: 'full' })],
            ['Id', copyable(subscription.id, 'subscription id')],
          ]),
        )}
      </section>`,
  }
}
