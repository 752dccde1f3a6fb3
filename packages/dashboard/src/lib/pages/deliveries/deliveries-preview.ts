import type { OwnedRef } from '@callboard/core'
import type { Call } from '../../call.ts'
import { card } from '../../components/card.ts'
import { emptyState } from '../../components/empty-state.ts'
import { type Html, html } from '../../html.ts'
import { deliveryTable } from './delivery-table.ts'

const SHOWN = 5

/** The newest deliveries of a subscription, for its own page, with the way to all of them. */
export async function deliveriesPreview(call: Call, ref: OwnedRef): Promise<Html> {
  const { deliveries } = await call.callboard.deliveries.list(ref, { limit: SHOWN })
  const all = html`<a class="button" href=${call.href(`/subscriptions/${ref.id}/deliveries`)}>All deliveries</a>`
  return card(
    { title: 'Newest deliveries', actions: deliveries.length > 0 && all, flush: deliveries.length > 0 },
    deliveries.length === 0
      ? emptyState('No deliveries yet', 'As soon as one of its events happens, its delivery appears here.')
      : deliveryTable(deliveries, call),
  )
}
