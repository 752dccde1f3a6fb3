import { defineCatalog } from '@callboard/core'
import { april2026 } from './april-2026.ts'
import { attendeeCheckedIn, attendeeRegistered, attendeeUpdated } from './attendees.ts'
import { eventPublished } from './events.ts'
import { orderCancelled, orderPaid, orderRefunded } from './orders.ts'

export const catalog = defineCatalog({
  version: '2026-10-01',
  types: [
    orderPaid,
    orderRefunded,
    orderCancelled,
    attendeeRegistered,
    attendeeCheckedIn,
    attendeeUpdated,
    eventPublished,
  ],
  previous: [april2026],
})

export type TicketingCatalog = typeof catalog
