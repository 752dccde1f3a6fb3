import type { Html } from '../../html.ts'
import type { Count } from '../count.ts'

export type SubscriptionFormTexts = typeof subscriptionForm

/** The forms that create and change a subscription. */
export const subscriptionForm = {
  create: 'Create subscription',
  created: 'Subscription created',
  createdLead: 'New events are sent from now on.',
  edit: 'Edit subscription',
  editLead: (target: Html): Html => [
    target,
    '. If you change the target, pending and retrying deliveries go to the new one. Changed event types apply only to new events.',
  ],
  save: 'Save changes',
  targetUrl: 'Target URL',
  targetUrlHint: 'A public https:// URL of yours. Events are sent to it as POST requests.',
  targetUsable: '✓ This target can be used.',
  targetUnusable: 'This target cannot be used.',
  name: 'Name',
  nameHint: 'Optional. Helps you recognise the subscription.',
  versionHint: 'The shape of the events that the receiver gets. Choose an older version only if the receiver needs it.',
  eventTypesHint: 'Choose which events to send.',
  noLongerOffered: 'No longer offered',
  sample: 'Sample',
  /** Only screen readers read these words, after `sample`. */
  sampleOf: (type: string): string => ` of ${type}`,
  sampleName: (type: string): string => `the sample of ${type}`,
  sendPersonalData: 'Send personal data',
  personalDataHint:
    'Names, email addresses and similar fields, as in the samples. Select this only if the receiver needs them. Otherwise they are removed before anything is sent.',
  forbidden: {
    title: 'You cannot edit this subscription',
    callout: 'This subscription receives personal data, which you do not have permission to see',
    body: 'Ask someone who may see personal data to edit it. You can still disable or remove the subscription.',
  },
  createdBefore: {
    title: 'Already created',
    heading: 'This subscription has already been created',
    body: 'No second subscription was created. Its secret is shown only once: if nobody copied it, open the subscription and rotate the secret.',
  },
  limitReached: {
    title: 'Your account has reached its subscription limit',
    body: 'Remove a subscription that you no longer need, or turn off an automation. Then submit this form again: your entries are still here.',
  },
  tooManyNew: {
    title: 'Your account has created too many subscriptions within a minute',
    body: ({ text, plural }: Count): string =>
      `Wait ${text} ${plural === 'one' ? 'second' : 'seconds'}. Then submit this form again: your entries are still here.`,
  },
  issues: {
    target:
      'Use a public https:// URL with a domain name and a standard port, without user name, password or #fragment.',
    eventTypesCount: (min: number, max: number): string => `Choose ${min} to ${max} event types.`,
    eventTypesUnknown:
      'An event type that you chose is no longer offered, or not in this format version. Review your choice.',
    changePending:
      'Deliveries from before the last change of event types are still pending. Wait until they are sent, then change the event types. If they cannot be sent, disable the subscription first, which ends them.',
    nameLength: (max: number): string => `The name must be at most ${max} characters.`,
    nameCharacters: 'The name must not contain control characters or broken Unicode.',
  },
}
