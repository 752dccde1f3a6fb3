import type { DeliveryRecord } from '@callboard/core'
import type { Call } from '../../call.ts'
import { dataTable } from '../../components/data-table.ts'
import { type Html, html } from '../../html.ts'
import { deliveryColumns, deliveryHref, deliveryTone } from './delivery-columns.ts'

/** The deliveries of one subscription. */
export function deliveryTable(deliveries: readonly DeliveryRecord[], call: Call): Html {
  const which = {
    head: call.texts.deliveries.event,
    kind: 'main',
    cell: (delivery: DeliveryRecord) => html`
      <div>
        <a href=${deliveryHref(delivery, call)}>${delivery.type}</a>
        <p class="muted"><code>${delivery.eventId}</code></p>
      </div>`,
  } as const
  return dataTable({
    caption: call.texts.deliveries.caption,
    columns: [which, ...deliveryColumns(call)],
    rows: deliveries,
    id: ({ eventId }) => eventId,
    tone: deliveryTone,
  })
}
