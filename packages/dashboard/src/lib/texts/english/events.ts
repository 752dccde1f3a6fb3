import type { Html } from '../../html.ts'

export type EventTexts = typeof events

/** The list of events, and the page of an event. */
export const events = {
  title: 'Events',
  lead: 'Everything published in your account, newest first',
  caption: 'Events, newest first',
  event: 'Event',
  subject: 'Subject',
  occurred: 'Occurred',
  search: 'Search',
  searchPlaceholder: 'Event ID or subject',
  timeIn: (label: string, zone: string): string => `${label} (${zone})`,
  deliveries: 'Deliveries',
  allDeliveries: 'All events',
  failing: 'Failing or undelivered',
  /** Of the deliveries that were due. */
  deliveredOf: (delivered: string, due: string): string => `${delivered} of ${due} delivered`,
  noSubscription: 'no subscription',
  notSearched: 'Older events have not been searched. Select “Search older” to continue.',
  noMatch: 'No event matches the search and the filters.',
  noneFailing: {
    title: 'No failing deliveries',
    body: 'Events whose deliveries are retrying or have ended without success appear here.',
  },
  showAll: 'Show all events',
  noneOlder: 'No older events',
  noneFound: {
    title: 'No matching events',
    body: (type: string): string => `There are no recent events of type ${type}.`,
  },
  noneYet: {
    title: 'No events yet',
    body: 'Events in your account appear here as soon as they are published.',
  },
  sequence: 'Sequence',
  sequenceOfSubject: (number: Html, aside: (text: string) => Html): Html => [number, ' ', aside('of its subject')],
  correlationId: 'Correlation ID',
  envelope: 'Envelope',
  envelopeName: 'envelope',
  personalDataHidden: 'Personal data is hidden: you do not have permission to see it.',
  inVersion: (version: string): string => `In version ${version}`,
  compare: 'Compare with a format version',
  compareWith: 'Compare with …',
  stored: (version: string): string => `Stored, version ${version}`,
  storedName: 'stored envelope',
  asSentIn: (version: string): string => `As sent in version ${version}`,
  convertedName: 'converted envelope',
  deliveriesCaption: 'Deliveries of this event, newest subscriptions first',
  noDeliveries: {
    title: 'No deliveries',
    body: (type: string): string => `No subscription asked for ${type} when this event was published.`,
  },
}
