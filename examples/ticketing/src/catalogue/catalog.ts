import { defineCatalog } from '@callboard/core'
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
})

export type TicketingCatalog = typeof catalog
