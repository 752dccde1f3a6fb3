import type { SubscriptionRecord } from '@callboard/core'
import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { type Column, dataTable } from '../../components/data-table.ts'
import { emptyState } from '../../components/empty-state.ts'
import { pageHead } from '../../components/page-head.ts'
import { subscriptionBadge } from '../../components/state-badges.ts'
import { target } from '../../components/target.ts'
import { time } from '../../components/time.ts'
import { html } from '../../html.ts'
import { managedBy } from './manager.ts'
import { stateInWords } from './subscription-state.ts'

/** All subscriptions of the account, newest first. */
export async function listSubscriptions(call: Call): Promise<Page> {
  const subscriptions = await call.callboard.subscriptions.list(call.accountId, call.mode)
  return {
    title: 'Subscriptions',
    section: 'subscriptions',
    live: true,
    body: html`
      <section aria-labelledby="title">
        ${pageHead('Subscriptions')}
        ${
          subscriptions.length === 0
            ? emptyState('No subscriptions yet', 'Switch on an automation in Zapier, Make or n8n, and it appears here.')
            : dataTable({ caption: 'Subscriptions', columns: columns(call), rows: subscriptions, id: ({ id }) => id })
        }
      </section>`,
  }
}

function columns(call: Call): readonly Column<SubscriptionRecord>[] {
  return [
    {
      head: 'Target',
      kind: 'main',
      cell: ({ id, targetUrl }) => html`<a href=${call.href(`/subscriptions/${id}`)}>${target(targetUrl)}</a>`,
    },
    { head: 'Events', kind: 'wide', cell: ({ eventTypes }) => eventTypes.join(', ') },
    { head: 'Managed by', cell: (subscription) => managedBy(subscription, call) },
    {
      head: 'State',
      cell(subscription) {
        const { standing, reason } = stateInWords(subscription)
        return html`<div>${subscriptionBadge(standing)}${reason && html`<p class="muted">${reason}</p>`}</div>`
      },
    },
    { head: 'Made', cell: ({ createdAt }) => time(createdAt) },
  ]
}
