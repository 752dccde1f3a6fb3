import type { OwnedRef } from '@callboard/core'
import type { Call } from '../../call.ts'
import { card } from '../../components/card.ts'
import { emptyState } from '../../components/empty-state.ts'
import { type Html, html } from '../../html.ts'
import { deliveryTable } from './delivery-table.ts'

const SHOWN = 5

/** A subscription's newest deliveries, with a link to all of them. */
export async function deliveriesPreview(call: Call, ref: OwnedRef): Promise<Html> {
  const words = call.texts.deliveries
  const { deliveries } = await call.callboard.deliveries.list(ref, { limit: SHOWN })
  const all = html`<a class="button" href=${call.href(`/subscriptions/${ref.id}/deliveries`)}>${words.all}</a>`
  return card(
    { title: words.newest, actions: deliveries.length > 0 && all, flush: deliveries.length > 0 },
    deliveries.length === 0 ? emptyState(words.noneYet, words.noneYetPreview) : deliveryTable(deliveries, call),
  )
}
