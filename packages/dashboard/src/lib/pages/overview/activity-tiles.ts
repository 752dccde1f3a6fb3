import { type AccountActivity, CAPS, sumCounts } from '@callboard/core/store'
import type { Call } from '../../call.ts'
import { trend } from '../../components/hour-chart.ts'
import { count, duration, number, percent } from '../../components/number.ts'
import { type Html, html } from '../../html.ts'
import { ageInWords } from '../subscriptions/subscription-state.ts'

interface Tile {
  readonly term: string
  readonly value: Html
  /** One line below the value. */
  readonly detail: Html
  readonly trend?: Html | undefined
  readonly alarming?: boolean | undefined
}

/** An account's deliveries in five numbers. For three of them, small bars show the changes over the time range. */
export function activityTiles(activity: AccountActivity, call: Call): Html {
  return html`<dl class="tiles" aria-label=${call.texts.overview.numbers}>${tilesOf(activity, call).map(tile)}</dl>`
}

function tilesOf({ counts, periods, pending, retrying, oldestPendingAt }: AccountActivity, call: Call): Tile[] {
  const words = call.texts.overview
  const { delivered, failed, durationMs } = sumCounts(periods)
  const attempts = delivered + failed
  const upTo = (value: number, most: number): string => (value >= most ? `${number(call, most)}+` : number(call, value))
  return [
    {
      term: words.delivered,
      value: number(call, delivered),
      detail: attempts === 0 ? words.noAttempts : words.succeeded(percent(call, delivered / attempts)),
      trend: trend(
        periods.map((period) => period.delivered),
        'delivered',
      ),
    },
    {
      term: words.failedAttempts,
      value: number(call, failed),
      detail: attempts === 0 ? words.noAttempts : undefined,
      trend: trend(
        periods.map((period) => period.failed),
        'failed',
      ),
      alarming: failed > 0 && counts.failing > 0,
    },
    {
      term: words.attemptTime,
      value: attempts === 0 ? '–' : duration(call, durationMs / attempts),
      detail: attempts === 0 ? words.noAttempts : undefined,
      trend: trend(
        periods.map((period) => period.durationMs / Math.max(1, period.delivered + period.failed)),
        'plain',
      ),
    },
    {
      term: words.waiting,
      value: upTo(pending + retrying, CAPS.waiting),
      detail:
        pending + retrying === 0
          ? words.nothingWaits
          : [
              words.pendingAndRetrying(upTo(pending, CAPS.waiting), upTo(retrying, CAPS.waiting)),
              oldestPendingAt &&
                html`<span class="tile-line">${words.oldestWaits(ageInWords(oldestPendingAt, call))}</span>`,
            ],
    },
    {
      term: words.failing,
      value:
        counts.failing === 0
          ? '0'
          : html`<a href=${call.href('/subscriptions', { state: 'failing' })}>${upTo(counts.failing, CAPS.subscriptions)}</a>`,
      detail: [
        words.ofSubscriptions({ ...count(call, counts.all), text: upTo(counts.all, CAPS.subscriptions) }),
        counts.disabled > 0 &&
          html`<a class="tile-line" href=${call.href('/subscriptions', { state: 'disabled' })}>${words.disabled(upTo(counts.disabled, CAPS.subscriptions))}</a>`,
      ],
      alarming: counts.failing > 0,
    },
  ]
}

function tile({ term, value, detail, trend: bars, alarming = false }: Tile): Html {
  return html`
    <div class=${alarming ? 'tile tile-alarming' : 'tile'}>
      <dt>${term}</dt>
      <dd>
        <p class="tile-value">${value}</p>
        ${detail && html`<p class="second">${detail}</p>`}
        ${bars}
      </dd>
    </div>`
}
