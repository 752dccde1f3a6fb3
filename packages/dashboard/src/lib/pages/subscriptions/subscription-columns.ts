import type { SubscriptionWithHealth } from '@callboard/core/store'
import type { Call } from '../../call.ts'
import type { Column } from '../../components/data-table.ts'
import { sparkline } from '../../components/hour-chart.ts'
import { count, percent } from '../../components/number.ts'
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
  const { common, subscriptions: words } = call.texts
  return [
    {
      head: common.target,
      kind: 'main',
      cell: ({ id, targetUrl, description }) => [
        html`<a href=${call.href(`/subscriptions/${id}`)}>${description === undefined ? target(targetUrl) : visibleText(description)}</a>`,
        second(description !== undefined && target(targetUrl)),
      ],
    },
    { head: common.state, cell: (subscription) => state(subscription, call) },
    {
      head: common.eventTypes,
      cell: ({ eventTypes, apiVersion }) => [types(eventTypes, call), outdated(apiVersion, call)],
    },
    { head: words.integration, cell: (subscription) => managedBy(subscription, call) },
    { head: words.lastDay, cell: (subscription) => day(subscription, call) },
    { head: words.lastAttempt, cell: (subscription) => lastAttempt(subscription, call) },
  ]
}

function state(subscription: SubscriptionWithHealth, call: Call): Html {
  const { standing, reason } = stateInWords(subscription, call)
  const { pausedUntil } = subscription.health
  const paused = pausedUntil !== undefined && subscription.state === 'active'
  return [
    subscriptionBadge(call, standing),
    second(reason),
    second(paused && call.texts.subscriptions.pausedNextAttempt(time(call, pausedUntil))),
    second(heldBackInWords(subscription, call)),
    second(lagInWords(subscription, call)),
  ]
}

function types(eventTypes: readonly string[], call: Call): Html {
  const rest = eventTypes.length - TYPES_SHOWN
  const shown = rest > 1 ? eventTypes.slice(0, TYPES_SHOWN) : eventTypes
  return [
    ...shown.map((type) => html`<div><code>${type}</code></div>`),
    second(rest > 1 && call.texts.subscriptions.andMore(count(call, rest))),
  ]
}

function outdated(version: string, call: Call): Html {
  return second(isOutdated(version, call) && versionInWords(version, call))
}

function day(subscription: SubscriptionWithHealth, call: Call): Html {
  const words = call.texts.subscriptions
  const rate = successRate(subscription)
  return [
    sparkline(call, subscription.health.hours),
    second(rate === undefined ? words.noAttempts : words.succeeded(percent(call, rate))),
  ]
}

function lastAttempt({ health: { lastAttempt: last } }: SubscriptionWithHealth, call: Call): Html {
  return last === undefined
    ? html`<span class="muted">${call.texts.subscriptions.noneYet}</span>`
    : [time(call, last.at), second(attemptWords(call, last).short)]
}

function second(text: Html): Html {
  return text && html`<p class="second">${text}</p>`
}
