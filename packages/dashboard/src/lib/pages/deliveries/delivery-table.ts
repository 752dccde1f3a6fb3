import type { DeliveryRecord } from '@callboard/core'
import type { Call } from '../../call.ts'
import { dataTable } from '../../components/data-table.ts'
import { time } from '../../components/time.ts'
import { type Html, html } from '../../html.ts'
import { subjectText } from '../events/subject-text.ts'
import { deliveryColumns, deliveryHref, deliveryTone } from './delivery-columns.ts'

export interface DeliveryTableOptions {
  /** “Deliveries, newest first” by default. */
  readonly caption?: string | undefined
  /** Whether there is room for a few columns only; false by default. */
  readonly narrow?: boolean | undefined
}

/** The deliveries of one subscription. */
export function deliveryTable(
  deliveries: readonly DeliveryRecord[],
  call: Call,
  { caption = call.texts.deliveries.caption, narrow = false }: DeliveryTableOptions = {},
): Html {
  const which = {
    head: call.texts.deliveries.event,
    kind: 'main',
    cell: (delivery: DeliveryRecord) => html`
      <div>
        <a href=${deliveryHref(delivery, call)}>${delivery.type}</a>
        <p class="second">${
          delivery.subject && call.may('events.read')
            ? subjectText(delivery.subject)
            : html`<code>${delivery.eventId}</code>`
        }</p>
      </div>`,
  } as const
  const occurred = {
    head: call.texts.deliveries.occurred,
    phone: 'bare' as const,
    cell: ({ occurredAt }: DeliveryRecord) => occurredAt && time(call, occurredAt),
  }
  const [state, lastAttempt, ...further] = deliveryColumns(call)
  return dataTable({
    caption,
    columns: narrow ? [which, state, lastAttempt] : [which, occurred, state, lastAttempt, ...further],
    rows: deliveries,
    id: ({ eventId }) => eventId,
    tone: deliveryTone,
  })
}
