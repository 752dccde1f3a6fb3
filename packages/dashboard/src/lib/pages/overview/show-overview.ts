import { ACTIVITY_RANGES, type AccountActivity, type ActivityRange, CAPS } from '@callboard/core/store'
import type { Page } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { card } from '../../components/card.ts'
import { filterTabs } from '../../components/filter-bar.ts'
import { hourChart } from '../../components/hour-chart.ts'
import { count } from '../../components/number.ts'
import { pageHead } from '../../components/page-head.ts'
import { type Html, html } from '../../html.ts'
import { newLink, noSubscriptions } from '../subscriptions/no-subscriptions.ts'
import { unreadableList } from '../unreadable-list.ts'
import { activityTiles } from './activity-tiles.ts'
import { attentionCard } from './attention-card.ts'
import { failuresCard } from './failures-card.ts'
import { slowestCard } from './slowest-card.ts'

/** The maximum number of rows in each table. */
const SHOWN = 5

/**
 * Shows how deliveries are going across all subscriptions: in numbers, over time, and with the problems that need
 * attention.
 */
export async function showOverview(call: Call): Promise<Page> {
  const range = call.query.get('range') || 'day'
  const asked = ACTIVITY_RANGES.find((each) => each === range)
  if (asked === undefined) return unreadableList(call, '/overview')
  const owner = { accountId: call.accountId, mode: call.mode }
  const { subscriptions, deliveries } = call.callboard
  // The three reads run at the same time, so together they take about as long as one.
  const [activity, troubled, failures] = await Promise.all([
    subscriptions.activity({ ...owner, range: asked, limit: SHOWN }),
    subscriptions.troubled({ ...owner, limit: CAPS.summed }),
    deliveries.newestFailures({ ...owner, limit: SHOWN }),
  ])
  const { overview: words } = call.texts
  const { counts } = activity
  const attention = await attentionCard(troubled, counts, call)
  return {
    title: troubled.length > 0 ? words.titleTroubled(count(call, troubled.length)) : words.title,
    section: 'overview',
    live: true,
    body: html`
      <section aria-labelledby="title">
        ${pageHead(words.title, { lead: words.lead, actions: counts.all > 0 && call.may('webhooks.write') && newLink(call) })}
        ${
          counts.all === 0
            ? noSubscriptions(call)
            : [
                filterTabs(
                  call,
                  words.range,
                  'range',
                  ACTIVITY_RANGES.map((each) => ({ value: each === 'day' ? '' : each, text: words.ranges[each] })),
                ),
                attention,
                activityTiles(activity, call),
                card({ title: words.attempts }, chart(activity, asked, call)),
                failuresCard(failures, call),
                slowestCard(activity.slowest, asked, call),
              ]
        }
      </section>`,
  }
}

function chart({ periods, counts }: AccountActivity, range: ActivityRange, call: Call): Html {
  const words = call.texts.overview
  const notes = [
    range !== 'day' && call.timeZone !== 'UTC' && words.daysInUtc,
    counts.all > CAPS.summed && words.covers(count(call, CAPS.summed)),
  ].filter((note) => note !== false)
  return html`
    <div class="stack">
      ${hourChart(call, periods, { range, path: call.may('events.read') ? '/events' : undefined })}
      ${notes.length > 0 && html`<p class="second">${notes.join(' ')}</p>`}
    </div>`
}
