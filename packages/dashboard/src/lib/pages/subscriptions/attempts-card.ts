import type { SubscriptionWithHealth } from '@callboard/core'
import {
  ACTIVITY_RANGES,
  type AttemptHistory,
  CAPS,
  type HistoryRange,
  PERIODS,
  type PeriodCount,
} from '@callboard/core/store'
import type { Call } from '../../call.ts'
import { card } from '../../components/card.ts'
import { facts } from '../../components/facts.ts'
import { filterTabs } from '../../components/filter-bar.ts'
import { hourChart } from '../../components/hour-chart.ts'
import { count, duration, number, percent } from '../../components/number.ts'
import { time } from '../../components/time.ts'
import { type Html, html } from '../../html.ts'
import { attemptWords } from '../deliveries/attempt-words.ts'
import { lagInWords, successRate } from './subscription-state.ts'

const RANGES: readonly HistoryRange[] = ['hour', ...ACTIVITY_RANGES]

/** The range that the address asks for, `day` by default; undefined if there is no such range. */
export function askedRange({ query }: Call): HistoryRange | undefined {
  const asked = query.get('range') || 'day'
  return RANGES.find((range) => range === asked)
}

interface Attempts {
  readonly subscription: SubscriptionWithHealth
  readonly history: AttemptHistory | undefined
}

/** The attempts of a subscription over time, and its health in numbers. */
export function attemptsCard({ range, ...attempts }: Attempts & { readonly range: HistoryRange }, call: Call): Html {
  const { subscription, history } = attempts
  const { overview, subscriptions: words } = call.texts
  const found = periodsOf(range, attempts)
  const periods = found ?? subscription.health.hours
  const notes = [
    range === 'hour' && found === undefined && words.manyThisHour(count(call, CAPS.history)),
    PERIODS[range].ms === PERIODS.week.ms && call.timeZone !== 'UTC' && overview.daysInUtc,
  ].filter((note) => note !== false)
  const offered = RANGES.filter((each) => each !== 'hour' || history?.minutes !== undefined)
  return card({ title: overview.attempts }, [
    filterTabs(
      call,
      overview.range,
      'range',
      offered.map((each) => ({ value: each === 'day' ? '' : each, text: overview.ranges[each] })),
    ),
    html`<div class="stack">
      ${hourChart(call, periods, {
        range: found === undefined ? 'day' : range,
        path: `/subscriptions/${subscription.id}/deliveries`,
      })}
      ${notes.length > 0 && html`<p class="second">${notes.join(' ')}</p>`}
      ${numbers(attempts, periods, call)}
    </div>`,
  ])
}

/** Undefined if the history does not have the range. */
function periodsOf(range: HistoryRange, { subscription, history }: Attempts): readonly PeriodCount[] | undefined {
  if (range === 'day') return subscription.health.hours
  return range === 'hour' ? history?.minutes : history?.days.slice(-PERIODS[range].length)
}

function tookInWords({ attempts, p50Ms, p95Ms }: NonNullable<AttemptHistory['took']>, call: Call): string {
  return call.texts.subscriptions.tookUpTo(duration(call, p50Ms), duration(call, p95Ms), count(call, attempts))
}

/** The health of a subscription in numbers. */
function numbers({ subscription, history }: Attempts, periods: readonly PeriodCount[], call: Call): Html {
  const { health, state } = subscription
  const { lastAttempt, retrying, pausedUntil } = health
  const words = call.texts.subscriptions
  const rate = successRate(periods)
  const retries = retrying >= CAPS.retries ? words.orMore(number(call, CAPS.retries)) : number(call, retrying)
  return facts([
    [words.successRate, rate === undefined ? words.noAttempts : words.ofAttempts(percent(call, rate))],
    history?.took && [words.attemptTime, tookInWords(history.took, call)],
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
