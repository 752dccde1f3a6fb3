import type { Html } from '../../html.ts'
import type { Count } from '../count.ts'

export type DeliveryTexts = typeof deliveries

/** The lists of deliveries, and the page of a delivery. */
export const deliveries = {
  title: 'Deliveries',
  titleTo: (name: string): string => `Deliveries to ${name}`,
  lead: (target: Html): Html => ['To ', target, ', newest first'],
  caption: 'Deliveries, newest first',
  newest: 'Newest deliveries',
  failing: 'Failing deliveries',
  failingCaption: 'Failing deliveries, latest attempt first',
  occurred: 'Occurred',
  all: 'All deliveries',
  allStates: 'All',
  states: {
    pending: 'Pending',
    retrying: 'Retrying',
    delivered: 'Delivered',
    exhausted: 'Exhausted',
    skipped: 'Skipped',
    expired: 'Expired',
    disabled: 'Disabled',
  },
  event: 'Event',
  lastAttempt: 'Last attempt',
  nextAttempt: 'Next attempt',
  attempts: 'Attempts',
  dueNow: 'due now',
  atEarliest: (time: Html): Html => [time, ' at the earliest'],
  queued: 'queued',
  resend: 'Resend',
  retryNow: 'Retry now',
  resendDeliveries: 'Resend deliveries',
  back: 'Back to deliveries',
  view: 'View deliveries',
  showAll: 'Show all deliveries',
  notSearched: 'Older deliveries have not been searched. Select “Search older” to continue.',
  noneYet: 'No deliveries yet',
  noneYetPreview: 'When an event for this subscription is published, its delivery appears here.',
  noneYetOfTypes: (types: readonly string[]): string =>
    `When an event of type ${types.join(' or ')} is published, its delivery appears here.`,
  noneOlder: 'No older deliveries',
  noneExhausted: {
    title: 'No exhausted deliveries',
    body: 'Deliveries whose attempts all failed appear here, and can be resent.',
  },
  noneFound: {
    title: 'No matching deliveries',
    body: 'No delivery of this subscription matches the filters.',
    timed: 'The times are those when events were published. Attempts in this time may be of earlier events.',
  },
  /** The title of a delivery's page in the browser. */
  typeTo: (type: string, name: string): string => `${type} to ${name}`,
  olderAttempts: 'Older attempts',
  noAttempts: 'No attempts to show.',
  eventId: 'event ID',
  /** The line between the attempts before and after a resend. */
  resent: 'Resent',
  resentBy: (who: Html): Html => ['Resent by ', who],
  attempt: (number: string, what: string): string => `Attempt ${number}: ${what}`,
  upcoming: {
    queued: 'Queued',
    due: 'Next attempt is due now',
    next: 'Next attempt',
    atEarliest: 'Next attempt, at the earliest',
  },
  took: (duration: string): string => `took ${duration}`,
  response: 'Response',
  responseTo: (number: string): string => `response to attempt ${number}`,
  responseHidden: 'The response is hidden: it may contain personal data, which you do not have permission to see.',
  noResponseBody: 'No response body was stored.',
  body: {
    title: 'Body',
    asSent: 'Body as sent',
    name: 'body',
    hidden: 'Hidden: you do not have permission to see events.',
    expired: 'The event has expired: its retention period has ended.',
    unconvertible: 'This event cannot be converted to this format version. The platform has been told.',
    headers: 'Headers',
    idHeader: (id: Html): Html => [id, ', the same on every attempt; use it to drop duplicates'],
    timestampHeader: 'when the attempt was made, as a Unix timestamp; new on each attempt',
    signatureHeader: 'signs id, timestamp and body with the signing secret; verify it before you trust the body',
    /** The start of the header's value, which ends with a version. */
    agentHeader: (start: string): string => `starts with ${start}`,
  },
  personalData: {
    sent: (why: string): string => `Personal data is sent: ${why}.`,
    notSent: (why: string): string => `Personal data is not sent: ${why}.`,
    sentButHidden: 'Personal data is sent, but hidden here: you do not have permission to see it.',
    selected: 'it was selected for this subscription',
    notSelected: 'it was not selected for this subscription',
    keyEnded: 'the API key of this subscription is no longer valid',
    keyAllows: (scope: string): string => `the API key of this subscription has the scope ${scope}`,
    keyForbids: (scope: string): string => `the API key of this subscription does not have the scope ${scope}`,
  },
  /** These stay on the page while it refreshes, so they say what happened, not what happens now. */
  done: {
    scheduled: 'The delivery was queued to be resent, with a new retry schedule.',
    hastened: 'The next attempt was brought forward. Earlier attempts still count.',
    pending: 'There was nothing to resend, because the delivery was already waiting for an attempt.',
  },
  refused: {
    disabled: 'The subscription is disabled',
    expired: 'The event has expired',
  },
  range: {
    titleTo: (name: string): string => `Resend deliveries to ${name}`,
    lead: (target: Html): Html => ['To ', target],
    published: 'Published',
    hour: 'In the last hour',
    day: 'In the last 24 hours',
    week: 'In the last 7 days',
    time: 'Since a specific time',
    timeIn: (zone: string): string => `Time (${zone})`,
    timeHint: 'Only used with “Since a specific time”.',
    states: 'Deliveries to resend',
    hints: {
      exhausted: 'Every attempt failed. These deliveries are resent with a new retry schedule.',
      pending:
        'These deliveries wait for the first attempt of their schedule. They keep their place in the queue. If the subscription is paused, an attempt is made now.',
      retrying: 'These deliveries wait for their next attempt, which is made now instead.',
      skipped: 'These deliveries were skipped manually and not delivered.',
      disabled: 'These deliveries ended when the subscription was disabled.',
    },
    publishedSince: 'Published since',
    change: 'Change selection',
    /** Says how many deliveries are resent once the viewer confirms it. */
    aboutTo: {
      all: ({ text, plural }: Count): string =>
        plural === 'one' ? 'About to resend 1 delivery' : `About to resend ${text} deliveries`,
      atLeast: ({ text }: Count): string => `About to resend at least ${text} deliveries`,
      unknown: 'How many deliveries are resent could not be counted in time',
      nothing: 'There is nothing to resend',
      probe: 'About to attempt one of the waiting deliveries',
    },
    /** Follow a sentence about the state of the subscription. */
    ahead: {
      paused: 'If you resend deliveries, one is attempted now. The others follow as soon as an attempt succeeds.',
      failing: 'Until the target is fixed, deliveries that you resend fail too, and are retried later.',
      late: 'Deliveries that you resend wait for their turn, too.',
    },
    noState: 'Choose at least one state.',
    notPast: 'Enter a time in the past.',
    lostProgress: 'The saved progress could not be read. Start again: nothing is resent twice.',
    disabled: 'The subscription is disabled. Its page shows how to enable it.',
    progress: 'Progress',
    stop: 'Stop',
    soFar: ({ text }: Count): string => `${text} resent`,
    soFarUpTo: ({ text }: Count, time: string): string => `${text} resent, up to ${time}`,
    stopped: (soFar: string): string => `Stopped: ${soFar}. Select Resend to continue from there.`,
    interrupted: (soFar: string): string => `Interrupted: ${soFar}. Select Resend to continue from there.`,
    done: 'Done',
    notFinished: 'Not finished yet',
    goOn: 'Continue until the whole range has been checked. You can stop at any time: nothing is resent twice if you start again.',
    continue: 'Continue',
    stopHere: 'Stop here',
    resent: ({ text, plural }: Count): string =>
      plural === 'one' ? '1 delivery is being resent.' : `${text} deliveries are being resent.`,
    waiting: ({ text, plural }: Count): string =>
      plural === 'one'
        ? '1 delivery is due or not attempted yet, and will be sent anyway.'
        : `${text} deliveries are due or not attempted yet, and will be sent anyway.`,
    nothing: 'There was nothing to resend.',
  },
}
