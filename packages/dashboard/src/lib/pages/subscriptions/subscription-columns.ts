import type { SubscriptionWithHealth } from '@callboard/core'
import type { Call } from '../../call.ts'
import type { Column } from '../../components/data-table.ts'
import { sparkline } from '../../components/hour-chart.ts'
import { percent } from '../../components/number.ts'
import { subscriptionBadge } from '../../components/state-badges.ts'
import { target } from '../../components/target.ts'
import { time } from '../../components/time.ts'
import { visibleText } from '../../components/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { attemptWords } from '../deliveries/attempt-words.ts'
import { managedBy } from './manager.ts'
import { lagInWords, stateInWords, successRate } from './subscription-state.ts'

/** More are counted, not named. */
const TYPES_SHOWN = 2

/** What a row of the list says of a subscription. */
export function subscriptionColumns(call: Call): readonly Column<SubscriptionWithHealth>[] {
  return [
    {
      head: 'Target',
      kind: 'main',
      cell: ({ id, targetUrl, description }) =>
        html`
          <div>
            <a href=${call.href(`/subscriptions/${id}`)}>${description === undefined ? target(targetUrl) : visibleText(description)}</a>
            ${description !== undefined && html`<p class="second">${target(targetUrl)}</p>`}
          </div>`,
    },
    { head: 'State', cell: (subscription) => state(subscription, call) },
    { head: 'Events', cell: ({ eventTypes }) => types(eventTypes) },
    { head: 'Managed by', cell: (subscription) => managedBy(subscription, call) },
    { head: 'Last 24 hours', cell: (subscription) => day(subscription, call) },
    { head: 'Last attempt', cell: (subscription) => lastAttempt(subscription) },
  ]
}

function state(subscription: SubscriptionWithHealth, call: Call): Html {
  const { standing, reason } = stateInWords(subscription, call)
  const lag = lagInWords(subscription, call)
  const { pausedUntil } = subscription.health
  return html`
    <div>
      ${subscriptionBadge(standing)}
      ${reason && html`<p class="second">${reason}</p>`}
      ${pausedUntil && subscription.state === 'active' && html`<p class="second">Paused, tried again ${time(pausedUntil)}</p>`}
      ${lag && html`<p class="second">${lag}</p>`}
    </div>`
}

function types(eventTypes: readonly string[]): Html {
  const rest = eventTypes.length - TYPES_SHOWN
  const shown = rest > 1 ? eventTypes.slice(0, TYPES_SHOWN) : eventTypes
  return html`
    <div>
      ${shown.map((type) => html`<div><code>${type}</code></div>`)}
      ${rest > 1 && html`<p class="second">and ${rest} more</p>`}
    </div>`
}

function day(subscription: SubscriptionWithHealth, call: Call): Html {
  const rate = successRate(subscription)
  return html`
    <div>
      ${sparkline(call, subscription.health.hours)}
      <p class="second">${rate === undefined ? 'nothing sent' : `${percent(call, rate)} delivered`}</p>
    </div>`
}

function lastAttempt({ health: { lastAttempt: last } }: SubscriptionWithHealth): Html {
  if (last === undefined) return html`<span class="muted">none yet</span>`
  return html`<div>${time(last.at)}<p class="second">${attemptWords(last).short}</p></div>`
}
