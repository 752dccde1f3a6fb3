export type AdviceTexts = typeof advice

/**
 * Each problem of a subscription or a delivery, and the advice for it. A step has two texts: `alone` if it is the
 * only one, and `after` if it follows other sentences.
 */
export const advice = {
  lastAttemptFailed: 'The last attempt failed',
  lastAttemptsFailed: 'The last attempts failed',
  /** The advice if the last attempt does not tell what is wrong. */
  fixTarget: 'Fix the target.',
  failing: (cause: string, age: string): string => `${cause}. No delivery has succeeded for ${age}.`,
  /** No worker has taken up the deliveries. */
  behind: {
    title: (age: string): string => `The oldest delivery has waited ${age}, because we have not got to it yet.`,
    body: 'The target is not at fault, and nothing is lost. If this lasts, contact support.',
  },
  /** Workers are sending, but deliveries still wait. `took` is the duration of the last attempt. */
  slow: {
    title: (age: string, took: string | undefined): string =>
      `Deliveries are being sent, but the oldest has waited ${age}.${took === undefined ? '' : ` The last answer took ${took}.`}`,
    body: 'If the wait does not get shorter, events are published faster than the target answers: respond within a few seconds, and process the event afterwards.',
  },
  secretRotated: (age: string): string => `The secret was rotated ${age} ago.`,
  /** How to get a new secret for a subscription that was created through the API. */
  lostSecret: {
    program: 'If the program no longer has the secret, it can rotate it through the API.',
    of: (integration: string): string =>
      `If the receiver no longer has the secret, turn the automation off and on again in ${integration}, which creates the subscription again, with a new secret.`,
  },
  exhausted: {
    title: 'Some deliveries are exhausted: all their attempts failed.',
    body: 'The subscription is not failing now. Resend the deliveries if you still need them.',
  },
  gone: (cause: string): string => `${cause}, which disables the subscription.`,
  failedForDays: 'No delivery succeeded for five days, so the subscription was disabled.',
  keyEnded: 'The subscription’s API key was revoked or has expired, so nothing is delivered.',
  giveKeyToProgram: 'Give another API key of this account to the program that created the subscription.',
  giveKeyTo: (integration: string): string => `Give ${integration} another API key of this account.`,
  disabledByAccount: 'Someone in your account disabled this subscription.',
  enableAgain: 'Enable it to deliver new events again.',
  missed: 'Missed deliveries can then be resent.',
  disabledByPlatform: {
    title: 'The platform disabled this subscription.',
    body: 'Contact support to have it enabled again.',
  },
  retryNow: {
    alone: 'Retry now. The other deliveries are attempted again automatically.',
    after: 'Then retry now. The other deliveries are attempted again automatically.',
  },
  enable: { alone: 'Enable the subscription.', after: 'Then enable the subscription.' },
  createAgain: {
    alone: 'Create the subscription again from the program that created it.',
    after: 'Then create the subscription again from the program that created it.',
  },
  turnOffAndOn: (integration: string): { alone: string; after: string } => ({
    alone: `Turn the automation off and on again in ${integration}, which creates the subscription again.`,
    after: `Then turn the automation off and on again in ${integration}, which creates the subscription again.`,
  }),
  contactSupport: {
    alone: 'Contact support to have the subscription enabled.',
    after: 'Then contact support to have the subscription enabled.',
  },
  resendIt: { alone: 'Resend it.', after: 'Then resend it.' },
  resendTheDelivery: 'Then resend the delivery.',
  afterThatResendIt: 'After that, resend it.',
  delivered: 'The event was delivered.',
  queued: 'The delivery is queued.',
  queuedBody: 'It waits for its first attempt.',
  /** For a delivery that was attempted and then resent. */
  resentBody: 'It was resent, and waits for the first attempt of its new schedule.',
  /** Follows other sentences. */
  pausedUntil: (time: string): string => `The subscription is paused until ${time}, because its target keeps failing.`,
  retries: 'It will be retried automatically.',
  retriesNow: 'You can also retry it now.',
  /** For a subscription that keeps the order of each subject. */
  waitsForSubject: 'It is retried once the earlier events of its subject have been delivered or have ended.',
  skipped: 'The delivery was skipped manually.',
  resendIfWanted: 'Resend it if you still want it.',
  expired: 'The event expired before it was delivered.',
  cannotResend: 'Its retention period has ended, so it cannot be resent.',
  endedDisabled: 'The delivery ended when the subscription was disabled.',
  enabledAgain: 'The subscription is enabled again. Resend the delivery if you still want it.',
}
