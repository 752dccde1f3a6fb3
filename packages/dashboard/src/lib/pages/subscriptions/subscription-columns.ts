import type { SubscriptionWithHealth } from '@callboard/core/store'
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
import { isOutdated, versionInWords } from '../format-version.ts'
import { managedBy } from './manager.ts'
import { heldBackInWords, lagInWords, stateInWords, successRate } from './subscription-state.ts'

/** How many event types to name. Any further event types are only counted. */
const TYPES_SHOWN = 2

/** The columns of the list of subscriptions. */
export function subscriptionColumns(call: Call): readonly Column<SubscriptionWithHealth>[] {
  return [
    {
      head: 'Target',
      kind: 'main',
      cell: ({ id, targetUrl, description }) => [
        html`<a href=${call.href(`/subscriptions/${id}`)}>${description === undefined ? target(targetUrl) : visibleText(description)}</a>`,
        second(description !== undefined && target(targetUrl)),
      ],
    },
    { head: 'State', cell: (subscription) => state(subscription, call) },
    {
      head: 'Event types',
      cell: ({ eventTypes, apiVersion }) => [types(eventTypes), outdated(apiVersion, call)],
    },
    { head: 'Integration', cell: (subscription) => managedBy(subscription, call) },
    { head: 'Last 24 hours', cell: (subscription) => day(subscription, call) },
    { head: 'Last attempt', cell: (subscription) => lastAttempt(subscription) },
  ]
}

function state(subscription: SubscriptionWithHealth, call: Call): Html {
  const { standing, reason } = stateInWords(subscription, call)
  const { pausedUntil } = subscription.health
  const paused = pausedUntil !== undefined && subscription.state === 'active'
  return [
    subscriptionBadge(standing),
    second(reason),
    second(paused && html`<span>Paused, next attempt ${time(pausedUntil)}</span>`),
    second(heldBackInWords(subscription, call)),
    second(lagInWords(subscription, call)),
  ]
}

function types(eventTypes: readonly string[]): Html {
  const rest = eventTypes.length - TYPES_SHOWN
  const shown = rest > 1 ? eventTypes.slice(0, TYPES_SHOWN) : eventTypes
  return [...shown.map((type) => html`<div><code>${type}</code></div>`), second(rest > 1 && `and ${rest} more`)]
}

function outdated(version: string, call: Call): Html {
  return second(isOutdated(version, call) && versionInWords(version, call))
}

function day(subscription: SubscriptionWithHealth, call: Call): Html {
  const rate = successRate(subscription)
  return [
    sparkline(call, subscription.health.hours),
    second(rate === undefined ? 'no attempts' : `${percent(call, rate)} succeeded`),
  ]
}

function lastAttempt({ health: { lastAttempt: last } }: SubscriptionWithHealth): Html {
  return last === undefined
    ? html`<span class="muted">none yet</span>`
    : [time(last.at), second(attemptWords(last).short)]
}

function second(text: Html): Html {
  return text && html`<p class="second">${text}</p>`
}
