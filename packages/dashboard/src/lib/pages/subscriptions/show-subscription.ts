import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { time } from '../../components/time.ts'
import { html } from '../../html.ts'
import { askedSubscription } from './asked-subscription.ts'
import { managedBy, whereToChange } from './manager.ts'
import { stateInWords } from './subscription-state.ts'
import { target } from './target.ts'

/** One subscription: how it stands, and what it is. */
export async function showSubscription(call: Call): Promise<Page> {
  const subscription = await askedSubscription(call)
  const { word, reason } = stateInWords(subscription)
  const { host } = new URL(subscription.targetUrl)
  return {
    title: host,
    section: 'subscriptions',
    live: true,
    body: html`
      <section aria-labelledby="title">
        <p><a href=${call.href('/subscriptions')}>Subscriptions</a></p>
        <div class="page-head"><h1 id="title">${target(subscription.targetUrl)}</h1></div>
        <p>${word}${reason === undefined ? undefined : `: ${reason}`}</p>
        ${subscription.source === 'api' ? html`<p>${whereToChange(subscription, call)}</p>` : undefined}
        <dl class="facts">
          <div><dt>Target</dt><dd><bdi>${subscription.targetUrl}</bdi></dd></div>
          <div><dt>Events</dt><dd>${subscription.eventTypes.join(', ')}</dd></div>
          <div><dt>Managed by</dt><dd>${managedBy(subscription, call)}</dd></div>
          ${
            subscription.externalRef === undefined
              ? undefined
              : html`<div><dt>External reference</dt><dd><bdi>${subscription.externalRef}</bdi></dd></div>`
          }
          <div><dt>Mode</dt><dd>${subscription.mode}</dd></div>
          <div><dt>API version</dt><dd>${subscription.apiVersion}</dd></div>
          <div><dt>Made</dt><dd>${time(subscription.createdAt, { as: 'full' })}</dd></div>
          <div><dt>Id</dt><dd><code>${subscription.id}</code></dd></div>
        </dl>
      </section>`,
  }
}
