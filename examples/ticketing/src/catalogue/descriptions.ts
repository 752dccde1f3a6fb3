/** The texts behind the event types' `descriptionKey`; a platform has them where its other texts are, in each of its languages. */
export const descriptions: Readonly<Record<string, string>> = {
  'events.order.paid.description': 'An order was paid: its tickets, its totals, and who bought it.',
  'events.order.refunded.description': 'An order was refunded, in whole or in part.',
  'events.order.cancelled.description': 'An order was cancelled; its tickets are no longer valid.',
  'events.attendee.registered.description': 'Somebody was registered as an attendee.',
  'events.attendee.checked_in.description': 'An attendee came in: the ticket was scanned at the door.',
  'events.attendee.updated.description': 'What is known of an attendee changed.',
  'events.event.published.description': 'An event went on sale.',
}
