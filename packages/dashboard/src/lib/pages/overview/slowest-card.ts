import { type AccountActivity, type ActivityRange, ENOUGH_ATTEMPTS, sumCounts } from '@callboard/core/store'
import type { Call } from '../../call.ts'
import { card } from '../../components/card.ts'
import { type Column, dataTable } from '../../components/data-table.ts'
import { emptyState } from '../../components/empty-state.ts'
import { sparkline } from '../../components/hour-chart.ts'
import { count, duration, number } from '../../components/number.ts'
import { nameOf, targetBelow } from '../../components/subscription-name.ts'
import { type Html, html } from '../../html.ts'

type Slow = AccountActivity['slowest'][number]

/** The subscriptions whose targets took longest to answer. */
export function slowestCard(slowest: readonly Slow[], range: ActivityRange, call: Call): Html {
  const words = call.texts.overview
  if (slowest.length === 0) return card({ title: words.slowest }, emptyState(words.noneSlow.title, words.noneSlow.body))
  const columns: readonly Column<Slow>[] = [
    {
      head: call.texts.subscriptions.one,
      kind: 'main',
      cell: ({ subscription }) => [
        html`<a class="cut" href=${call.href(`/subscriptions/${subscription.id}`)}>${nameOf(subscription)}</a>`,
        targetBelow(subscription),
      ],
    },
    {
      head: words.average,
      kind: 'number',
      cell: ({ periods }) => {
        const { delivered, failed, durationMs } = sumCounts(periods)
        return duration(call, durationMs / (delivered + failed))
      },
    },
    {
      head: words.attemptCount,
      kind: 'number',
      cell: (slow) => number(call, attemptsOf(slow)),
    },
    { head: words.ranges[range], phone: 'never', cell: ({ periods }) => sparkline(call, periods, range) },
  ]
  const table = dataTable({
    caption: words.slowestCaption,
    columns,
    rows: slowest,
    id: ({ subscription: { id } }) => `slow-${id}`,
  })
  const least = count(call, ENOUGH_ATTEMPTS)
  const compared = slowest.every((slow) => attemptsOf(slow) >= ENOUGH_ATTEMPTS)
  const note = compared ? words.slowestOf(least) : words.fewAttempts(least)
  return card({ title: words.slowest, flush: true }, [table, html`<p class="second">${note}</p>`])
}

function attemptsOf({ periods }: Slow): number {
  const { delivered, failed } = sumCounts(periods)
  return delivered + failed
}
