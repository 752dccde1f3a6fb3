import type { SubscriptionWithHealth } from '@callboard/core'
import type { Call } from '../../call.ts'
import { card } from '../../components/card.ts'
import { dataTable } from '../../components/data-table.ts'
import { emptyState } from '../../components/empty-state.ts'
import { type Html, html } from '../../html.ts'
import { healthColumns } from '../subscriptions/subscription-columns.ts'
import { stateInWords } from '../subscriptions/subscription-state.ts'

/** The first few failing subscriptions. `total` counts all that are failing, not only the ones shown. */
export function failingCard(failing: readonly SubscriptionWithHealth[], total: number, call: Call): Html {
  const words = call.texts.overview
  const all = html`<a class="button" href=${call.href('/subscriptions', { state: 'failing' })}>${words.showFailing}</a>`
  return card(
    { title: words.failingSubscriptions, actions: total > failing.length && all, flush: failing.length > 0 },
    failing.length === 0
      ? emptyState(words.noneFailing.title, words.noneFailing.body)
      : dataTable({
          caption: words.failingSubscriptions,
          columns: healthColumns(call),
          rows: failing,
          id: ({ id }) => `failing-${id}`,
          tone: (row) => stateInWords(row, call).tone,
        }),
  )
}
