/** The text for each type's `descriptionKey`. A real platform keeps these texts with its other translations. */
export const descriptions: Readonly<Record<'en' | 'de', Readonly<Record<string, string>>>> = {
  en: {
    'events.order_paid': "An order was paid. The event contains the order's tickets, totals and buyer.",
    'events.order_refunded': 'An order was refunded, in whole or in part.',
    'events.order_cancelled': 'An order was cancelled; its tickets are no longer valid.',
    'events.attendee_registered': 'Somebody was registered as an attendee.',
    'events.attendee_checked_in': 'An attendee checked in: the ticket was scanned at the door.',
    'events.attendee_updated': 'The details of an attendee changed.',
    'events.event_published': 'An event went on sale.',
  },
  de: {
    'events.order_paid': 'Eine Bestellung wurde bezahlt. Das Ereignis enthält Tickets, Summen und die kaufende Person.',
    'events.order_refunded': 'Eine Bestellung wurde ganz oder teilweise erstattet.',
    'events.order_cancelled': 'Eine Bestellung wurde storniert; ihre Tickets sind nicht mehr gültig.',
    'events.attendee_registered': 'Eine Person wurde als Gast eingetragen.',
    'events.attendee_checked_in': 'Ein Gast ist da: Das Ticket wurde am Einlass gescannt.',
    'events.attendee_updated': 'Die Angaben zu einem Gast wurden geändert.',
    'events.event_published': 'Für eine Veranstaltung hat der Verkauf begonnen.',
  },
}
