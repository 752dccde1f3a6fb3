import type { DeliveryRecord, SubscriptionRecord } from '@callboard/core'
import type { DeliveriesPage } from '@callboard/core/engine'
import type { Call } from '../../call.ts'
import { card } from '../../components/card.ts'
import { dataTable } from '../../components/data-table.ts'
import { emptyState } from '../../components/empty-state.ts'
import { pager } from '../../components/pager.ts'
import { nameOf, targetBelow } from '../../components/subscription-name.ts'
import { type Html, html } from '../../html.ts'
import { deliveryColumns, deliveryHref, deliveryTone } from '../deliveries/delivery-columns.ts'
import { resendButton } from '../deliveries/resend-button.ts'

interface Row extends DeliveryRecord {
  readonly subscription: SubscriptionRecord
}

/** The deliveries of an event, one row per subscription. */
export async function eventDeliveries(
  type: string,
  { deliveries, nextCursor }: DeliveriesPage,
  call: Call,
): Promise<Html> {
  const { common, deliveries: words, events, subscriptions } = call.texts
  const rows = (await Promise.all(deliveries.map((delivery) => rowOf(delivery, call)))).flat()
  if (rows.length === 0 && nextCursor === null)
    return card(
      { title: words.title },
      emptyState(events.noDeliveries.title, events.noDeliveries.body(type), subscriptionsLink(call)),
    )
  const table = dataTable<Row>({
    caption: events.deliveriesCaption,
    columns: [
      {
        head: subscriptions.one,
        kind: 'main',
        cell: (row) => [
          html`<a href=${deliveryHref(row, call)}>${nameOf(row.subscription)}</a>`,
          targetBelow(row.subscription),
        ],
      },
      ...deliveryColumns(call),
      {
        head: common.actions,
        kind: 'actions',
        cell: (row) => resendButton(row, row.subscription, call, { toEvent: true }),
      },
    ],
    rows,
    id: ({ subscriptionId }) => subscriptionId,
    tone: deliveryTone,
  })
  return html`<div>${card({ title: words.title, flush: true }, table)}${pager(call, nextCursor, common.more)}</div>`
}

/** Returns an empty list if the subscription was removed after the deliveries had been read. */
async function rowOf(delivery: DeliveryRecord, { callboard, accountId, mode }: Call): Promise<Row[]> {
  const subscription = await callboard.subscriptions.find({ accountId, mode, id: delivery.subscriptionId })
  return subscription === undefined ? [] : [{ ...delivery, subscription }]
}

function subscriptionsLink(call: Call): Html {
  return html`<a class="button" href=${call.href('/subscriptions')}>${call.texts.subscriptions.viewAll}</a>`
}
