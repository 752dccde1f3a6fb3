import type { SubscriptionRecord } from '@callboard/core'
import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { emptyState } from '../../components/empty-state.ts'
import { time } from '../../components/time.ts'
import { type Html, html } from '../../html.ts'
import { managedBy } from './manager.ts'
import { stateInWords } from './subscription-state.ts'
import { target } from './target.ts'

/** All subscriptions of the account, newest first. */
export async function listSubscriptions(call: Call): Promise<Page> {
  const subscriptions = await call.callboard.subscriptions.list(call.accountId, call.mode)
  return {
    title: 'Subscriptions',
    section: 'subscriptions',
    live: true,
    body: html`
      <section aria-labelledby="title">
        <div class="page-head"><h1 id="title">Subscriptions</h1></div>
        ${subscriptions.length === 0 ? nothing() : table(subscriptions, call)}
      </section>`,
  }
}

function nothing(): Html {
  return emptyState('No subscriptions yet', 'Switch on an automation in Zapier, Make or n8n, and it appears here.')
}

function table(subscriptions: readonly SubscriptionRecord[], call: Call): Html {
  return html`
    <table class="rows">
      <thead>
        <tr><th scope="col">Target</th><th scope="col">Events</th><th scope="col">Managed by</th><th scope="col">State</th><th scope="col">Made</th></tr>
      </thead>
      <tbody>${subscriptions.map((subscription) => row(subscription, call))}</tbody>
    </table>`
}

function row(subscription: SubscriptionRecord, call: Call): Html {
  const { word, reason } = stateInWords(subscription)
  return html`
    <tr>
      <td><a href=${call.href(`/subscriptions/${subscription.id}`)}>${target(subscription.targetUrl)}</a></td>
      <td>${subscription.eventTypes.join(', ')}</td>
      <td>${managedBy(subscription, call)}</td>
      <td>${word}${reason === undefined ? undefined : `: ${reason}`}</td>
      <td>${time(subscription.createdAt)}</td>
    </tr>`
}
