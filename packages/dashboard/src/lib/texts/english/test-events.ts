import type { Html } from '../../html.ts'
import type { Count } from '../count.ts'

export type TestEventTexts = typeof testEvents

/** The page that sends a test event. */
export const testEvents = {
  title: 'Send a test event',
  lead: (target: Html, mark: Html): Html => [
    'To ',
    target,
    ': the sample of an event type, signed like a delivery and marked with ',
    mark,
    '. It is not stored.',
  ],
  send: 'Send test event',
  sendAnother: 'Send another',
  notSent: 'Not sent',
  limited: ({ text, plural }: Count): string =>
    `Your account has sent too many test events. Wait ${text} ${plural === 'one' ? 'second' : 'seconds'}.`,
  accepted: 'The target accepted the test event.',
  response: 'Response',
  responseName: 'the response',
  request: 'Request',
  bodyName: 'the body',
  status: 'Status',
  noStatus: 'none',
  duration: 'Duration',
  emptyResponse: 'The response has no body.',
}
