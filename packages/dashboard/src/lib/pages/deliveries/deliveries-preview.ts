import type { OwnedRef } from '@callboard/core'
import type { Call } from '../../call.ts'
import { card } from '../../components/card.ts'
import { emptyState } from '../../components/empty-state.ts'
import { type Html, html } from '../../html.ts'
import { deliveryTable } from './delivery-table.ts'

const SHOWN = 5

/** A subscription's newest deliveries, with a link to all of them. */
export async function deliveriesPreview(call: Call, ref: OwnedRef): Promise<Html> {
  const { deliveries } = await call.callboard.deliveries.list(ref, { limit: SHOWN })
  const all = html`<a class="button" href=${call.href(`/subscriptions/${ref.id}/deliveries`)}>All deliveries</a>`
  return card(
    { title: 'Newest deliveries', actions: deliveries.length > 0 && all, flush: deliveries.length > 0 },
    deliveries.length === 0
      ? emptyState('No deliveries yet', 'When one of its events is published, the delivery appears here.')
      : deliveryTable(deliveries, call),
  )
}
