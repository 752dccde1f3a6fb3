import type { Issue } from '@callboard/core'
import type { Count } from '../count.ts'

export type ProblemTexts = typeof problems

/** The pages for errors, and the messages that all forms share. */
export const problems = {
  notFound: { title: 'Not found', text: 'This page does not exist, or its content has been removed.' },
  /** The text and the button of a page that is not found because its address has another kind's id. */
  otherKind: {
    sub: { text: 'The ID in this address is that of a subscription.', view: 'View subscription' },
    evt: { text: 'The ID in this address is that of an event.', view: 'View event' },
    key: { text: 'The ID in this address is that of an API key.', view: 'View key' },
  },
  notAllowed: {
    title: 'Access denied',
    text: 'You do not have permission for this. Ask an administrator of your account for access.',
  },
  forged: {
    title: 'Request refused',
    text: 'The request did not come from this page, so nothing was changed. Reload the page and try again.',
  },
  invalid: 'Invalid request',
  managed: {
    title: 'Managed elsewhere',
    text: 'The subscription was created through the API. Change it in the automation tool or program that created it.',
  },
  notEnabled: 'Not enabled',
  secretRotated: {
    title: 'Not rotated',
    text: 'The secret has already been rotated, and the new secret was shown only once. If nobody saved the new secret, open the subscription and rotate it again.',
  },
  tooManyChanges: {
    title: 'Too many changes',
    text: ({ text, plural }: Count): string =>
      `Your account has changed too much within a minute, so nothing was changed. Try again in ${text} ${plural === 'one' ? 'second' : 'seconds'}.`,
  },
  unavailable: { title: 'Temporarily unavailable', text: 'Try again in a few seconds.' },
  unexpected: {
    title: 'Something went wrong on our side',
    text: 'Try again. If the problem persists, contact support and quote the reference below.',
  },
  reference: 'Reference:',
  back: 'Back to the dashboard',
  /** For a form that no page of the dashboard sends. */
  unreadableForm: 'The form could not be read. Reload the page and try again.',
  formTooLarge: 'The form is too large.',
  formIncomplete: 'The form arrived incomplete. Submit it again.',
  /** The title above the list of everything that is wrong with a form. */
  summary: 'There is a problem',
  /** The text for a mistake that has no text of its own. `message` is always in English. */
  otherIssue: ({ message }: Pick<Issue, 'message'>): string => message,
}
