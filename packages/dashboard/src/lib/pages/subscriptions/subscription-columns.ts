import type { SubscriptionWithHealth } from '@callboard/core'
import type { Call } from '../../call.ts'
import type { Column } from '../../components/data-table.ts'
import { sparkline } from '../../components/hour-chart.ts'
import { count, percent } from '../../components/number.ts'
import { subscriptionBadge } from '../../components/state-badges.ts'
import { nameOf, targetBelow } from '../../components/subscription-name.ts'
import { time } from '../../components/time.ts'
import { type Html, html } from '../../html.ts'
import { attemptWords } from '../deliveries/attempt-words.ts'
import { isOutdated, versionInWords } from '../format-version.ts'
import { managerName } from './manager.ts'
import { heldBackInWords, lagInWords, stateInWords, successRate } from './subscription-state.ts'

/** The columns of the list of subscriptions. */
export function subscriptionColumns(call: Call): readonly Column<SubscriptionWithHealth>[] {
  const { common, subscriptions: words } = call.texts
  const [which, state, ...course] = healthColumns(call)
  return [
    which,
    state,
    {
      head: common.eventTypes,
      phone: 'bare',
      cell: ({ eventTypes, apiVersion }) => [types(eventTypes, call), outdated(apiVersion, call)],
    },
    { head: words.integration, phone: 'bare', cell: (subscription) => managerName(subscription, call) },
    ...course,
  ]
}

type HealthColumn = Column<SubscriptionWithHealth>

/**
 * The columns that show the health of a subscription: its name, its state, its last 24 hours and its last attempt.
 */
function healthColumns(call: Call): readonly [HealthColumn, HealthColumn, HealthColumn, HealthColumn] {
  const { common, subscriptions: words } = call.texts
  return [
    {
      head: words.one,
      kind: 'main',
      cell: (subscription) => [
        html`<a class="cut" href=${call.href(`/subscriptions/${subscription.id}`)}>${nameOf(subscription)}</a>`,
        targetBelow(subscription),
      ],
    },
    { head: common.state, kind: 'state', cell: (subscription) => state(subscription, call) },
    { head: words.lastDay, phone: 'never', cell: (subscription) => day(subscription, call) },
    { head: words.lastAttempt, phone: 'unless-noted', cell: (subscription) => lastAttempt(subscription, call) },
  ]
}

function state(subscription: SubscriptionWithHealth, call: Call): Html {
  const { state: shown, reason } = stateInWords(subscription, call)
  const words = call.texts.subscriptions
  const { pausedUntil } = subscription.health
  const lag = lagInWords(subscription, call)
  const notes = [
    reason,
    pausedUntil !== undefined && subscription.state === 'active' && words.nextAttempt(time(call, pausedUntil)),
    heldBackInWords(subscription, call),
    lag && words.oldestWaits(lag),
  ].filter(Boolean)
  return [
    subscriptionBadge(call, shown),
    notes.length > 0 &&
      html`<p class="second" title=${reason}>${notes.map((note, index) => [index > 0 && ' · ', note])}</p>`,
  ]
}

/** The first event type, and how many more there are. */
function types([first, ...rest]: readonly string[], call: Call): Html {
  const more = rest.length > 0 && call.texts.subscriptions.andMore(count(call, rest.length))
  return html`<div class="line"><code>${first}</code> ${more && html`<span class="second">${more}</span>`}</div>`
}

function outdated(version: string, call: Call): Html {
  return second(isOutdated(version, call) && versionInWords(version, call))
}

function day(subscription: SubscriptionWithHealth, call: Call): Html {
  const words = call.texts.subscriptions
  const rate = successRate(subscription.health.hours)
  if (rate === undefined) return html`<span class="muted">${words.noAttempts}</span>`
  return html`<div class="line">${sparkline(call, subscription.health.hours)}<span class="second">${percent(call, rate)}</span></div>`
}

function lastAttempt({ health: { lastAttempt: last } }: SubscriptionWithHealth, call: Call): Html {
  return last === undefined
    ? html`<span class="muted">${call.texts.subscriptions.noneYet}</span>`
    : [time(call, last.at), html`<p class="second cut">${attemptWords(call, last).short}</p>`]
}

function second(text: Html): Html {
  return text && html`<p class="second">${text}</p>`
}
