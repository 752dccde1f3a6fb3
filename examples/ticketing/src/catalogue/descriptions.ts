/** The text for each type's `descriptionKey`. A real platform keeps these texts with its other translations. */
export const descriptions: Readonly<Record<string, string>> = {
  'events.order.paid.description': 'An order was paid. Has its tickets, totals and buyer.',
  'events.order.refunded.description': 'An order was refunded, in whole or in part.',
  'events.order.cancelled.description': 'An order was cancelled; its tickets are no longer valid.',
  'events.attendee.registered.description': 'Somebody was registered as an attendee.',
  'events.attendee.checked_in.description': 'An attendee checked in: the ticket was scanned at the door.',
  'events.attendee.updated.description': 'The details of an attendee changed.',
  'events.event.published.description': 'An event went on sale.',
}
