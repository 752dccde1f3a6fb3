/** The text for each type's `descriptionKey`. A real platform keeps these texts with its other translations. */
export const descriptions: Readonly<Record<'en' | 'de', Readonly<Record<string, string>>>> = {
  en: {
    'events.order.paid.description': "An order was paid. The event contains the order's tickets, totals and buyer.",
    'events.order.refunded.description': 'An order was refunded, in whole or in part.',
    'events.order.cancelled.description': 'An order was cancelled; its tickets are no longer valid.',
    'events.attendee.registered.description': 'Somebody was registered as an attendee.',
    'events.attendee.checked_in.description': 'An attendee checked in: the ticket was scanned at the door.',
    'events.attendee.updated.description': 'The details of an attendee changed.',
    'events.event.published.description': 'An event went on sale.',
  },
  de: {
    'events.order.paid.description':
      'Eine Bestellung wurde bezahlt. Das Ereignis enthält Tickets, Summen und die kaufende Person.',
    'events.order.refunded.description': 'Eine Bestellung wurde ganz oder teilweise erstattet.',
    'events.order.cancelled.description': 'Eine Bestellung wurde storniert; ihre Tickets sind nicht mehr gültig.',
    'events.attendee.registered.description': 'Eine Person wurde als Gast eingetragen.',
    'events.attendee.checked_in.description': 'Ein Gast ist da: Das Ticket wurde am Einlass gescannt.',
    'events.attendee.updated.description': 'Die Angaben zu einem Gast wurden geändert.',
    'events.event.published.description': 'Für eine Veranstaltung hat der Verkauf begonnen.',
  },
}
