import type { DeliveryRecord, OwnedRef } from '@callboard/core'
import type { Call } from '../../call.ts'
import { card } from '../../components/card.ts'
import { emptyState } from '../../components/empty-state.ts'
import { type Html, html } from '../../html.ts'
import { deliveryTable } from './delivery-table.ts'

/** The preview shows the deliveries in `failed`, or those in `newest` if `failed` is empty. */
export interface Previewed {
  readonly failed: readonly DeliveryRecord[]
  readonly newest: readonly DeliveryRecord[]
  /** Beside the link to all deliveries. */
  readonly actions?: Html
}

/** How many deliveries the preview shows. */
export const PREVIEWED = 5

/** A few of a subscription's deliveries, with a link to all of them. */
export function deliveriesPreview(call: Call, { id }: OwnedRef, { failed, newest, actions }: Previewed): Html {
  const words = call.texts.deliveries
  const all = [actions, html`<a class="button" href=${call.href(`/subscriptions/${id}/deliveries`)}>${words.all}</a>`]
  if (failed.length > 0)
    return card(
      { title: words.failing, actions: all, flush: true },
      deliveryTable(failed.slice(0, PREVIEWED), call, { caption: words.failingCaption, narrow: true }),
    )
  if (newest.length === 0) return card({ title: words.newest }, emptyState(words.noneYet, words.noneYetPreview))
  return card({ title: words.newest, actions: all, flush: true }, deliveryTable(newest, call, { narrow: true }))
}
