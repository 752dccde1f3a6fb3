import type { Html } from '../../html.ts'
import type { Count } from '../count.ts'

export type SubscriptionTexts = typeof subscriptions

/** The list of subscriptions, and the page of a subscription. */
export const subscriptions = {
  title: 'Subscriptions',
  titleFailing: ({ text }: Count): string => `Subscriptions (${text} failing)`,
  lead: 'Where your events are sent',
  new: 'New subscription',
  one: 'Subscription',
  view: 'View subscription',
  viewAll: 'View subscriptions',
  all: 'All',
  /** The states of a subscription. In the last three, none of its deliveries fails, but they are late. */
  states: {
    active: 'Active',
    failing: 'Failing',
    paused: 'Paused',
    disabled: 'Disabled',
    behind: 'Behind',
    slow: 'Slow',
    heldBack: 'Held back',
  },
  search: 'Search',
  searchPlaceholder: 'Name, target, reference or integration',
  failingElsewhere: ({ text, plural }: Count): string =>
    plural === 'one' ? 'One subscription is failing' : `${text} subscriptions are failing`,
  showFailing: 'Show failing subscriptions',
  showDisabledOnes: 'Show disabled subscriptions',
  showAll: 'Show all subscriptions',
  none: {
    title: 'No subscriptions yet',
    body: (automations: string): string => `Turn on an automation in ${automations}, and it appears here.`,
    orCreate: 'You can also create a subscription yourself.',
    anyTool: 'your automation tool',
  },
  notSearched: 'Older subscriptions have not been searched. Select “Search older” to continue.',
  noneFound: {
    title: 'No matching subscriptions',
    body: 'The search covers names, target URLs, external references and integrations.',
  },
  noneFailing: { title: 'No failing subscriptions', body: 'Every active subscription is working.' },
  noneDisabled: { title: 'No disabled subscriptions', body: 'All subscriptions are active.' },
  noneOlder: 'No older subscriptions',
  done: {
    removed: 'Subscription removed. Nothing more is sent to its target.',
    changed: 'Changes saved.',
    disabled: 'Subscription disabled. Nothing is delivered until it is enabled.',
    enabled: 'Subscription enabled. New events are delivered from now on.',
  },
  /** A link behind `done.enabled`, to the deliveries that ended when the subscription was disabled. */
  resendMissed: 'Resend missed deliveries',
  integration: 'Integration',
  api: 'API',
  managedByApi: 'Managed through the API',
  managedBy: (integration: string): string => `Managed by ${integration}`,
  createdHere: 'Created here',
  changeThroughApi: 'Managed through the API. Change or remove it with the program that created it.',
  changeIn: (integration: string): string => `Managed by ${integration}. Change the automation or turn it off there.`,
  lastDay: 'Last 24 hours',
  manyThisHour: ({ text }: Count): string => `${text} attempts or more in the last hour, so this shows 24 hours.`,
  attemptTime: 'Attempts took',
  tookUpTo: (p50: string, p95: string, { text, plural }: Count): string =>
    plural === 'one' ? `${p50} (1 attempt)` : `p50 ${p50}, p95 ${p95} (newest ${text} attempts)`,
  lastAttempt: 'Last attempt',
  lastResponse: 'Response to the last attempt',
  noneYet: 'none yet',
  noAttempts: 'no attempts',
  attempts: ({ text, plural }: Count): string => (plural === 'one' ? '1 attempt' : `${text} attempts`),
  andMore: ({ text }: Count): string => `and ${text} more`,
  nextAttempt: (at: Html): Html => ['next attempt ', at],
  /** Why a subscription is disabled. Lists of subscriptions show it after the badge. */
  disabledBecause: {
    gone: 'The target returned 410 Gone',
    failing: 'No delivery succeeded for five days',
    key: 'Its API key was revoked or has expired',
    account: 'Someone in your account disabled it',
    platform: 'The platform disabled it',
  },
  /** Follows the badge: “Failing for 2 hours: timed out”. */
  failingFor: (what: string, age: string): string => `for ${age}: ${what}`,
  /** Follows the badge “Paused”. */
  pausedFailing: (what: string, age: string): string => `failing for ${age}: ${what}`,
  heldBack: {
    new: (requests: Count): string =>
      `Held back: the target gets at most ${requests.text} ${requests.plural === 'one' ? 'request' : 'requests'} at a time until its first answer`,
    failing: (requests: Count): string =>
      `Held back: the target gets at most ${requests.text} ${requests.plural === 'one' ? 'request' : 'requests'} at a time because its last requests failed or were slow`,
    full: (requests: Count): string =>
      `Held back: the target gets at most ${requests.text} ${requests.plural === 'one' ? 'request' : 'requests'} at a time`,
  },
  heldBackBody:
    'Deliveries wait for their turn, and waiting uses up no attempts. The limit rises while the target answers quickly and without errors.',
  oldestWaits: (age: string): string => `the oldest delivery has waited ${age}`,
  successRate: 'Success rate',
  ofAttempts: (percent: string): string => `${percent} of attempts`,
  lastAttemptTook: (at: Html, what: Html, duration: string): Html => [at, ': ', what, `, took ${duration}`],
  lag: 'Lag',
  noLag: 'none',
  retrying: 'Retrying',
  orMore: (count: string): string => `${count} or more`,
  pausedUntil: 'Paused until',
  retryNow: 'Retry now',
  resendDeliveries: 'Resend deliveries',
  showDisabled: 'Show disabled deliveries',
  showRetrying: 'Show retrying deliveries',
  showExhausted: 'Show exhausted deliveries',
  personalDataSent: (why: string): string => `Sent: ${why}.`,
  personalDataNotSent: (why: string): string => `Not sent: ${why}.`,
  externalReference: 'External reference',
  subscriptionId: 'subscription ID',
  targetName: 'target',
  typeNoLongerOffered: 'no longer offered',
  moveThroughIntegration: 'The integration that manages the subscription can move it to another version.',
  moveByEditing: 'Edit the subscription to move it to another version, once its receiver understands that version.',
  chart: {
    succeeded: 'Succeeded',
    failed: 'Failed',
    none: {
      hour: 'No attempts in the last hour',
      day: 'No attempts in the last 24 hours',
      week: 'No attempts in the last 7 days',
      month: 'No attempts in the last 30 days',
    },
    byMinute: {
      caption: 'Attempts by minute',
      peak: ({ text }: Count): string => `Peak: ${text} a minute`,
      last: 'now',
    },
    byHour: { caption: 'Attempts by hour', peak: ({ text }: Count): string => `Peak: ${text} an hour`, last: 'now' },
    byDay: { caption: 'Attempts by day', peak: ({ text }: Count): string => `Peak: ${text} a day`, last: 'today' },
    bar: (hour: string, delivered: Count, failed: Count): string =>
      `${hour}: ${delivered.text} succeeded, ${failed.text} failed`,
    totals: {
      hour: (delivered: Count, failed: Count): string =>
        `Last hour: ${delivered.text} succeeded, ${failed.text} failed`,
      day: (delivered: Count, failed: Count): string =>
        `Last 24 hours: ${delivered.text} succeeded, ${failed.text} failed`,
      week: (delivered: Count, failed: Count): string =>
        `Last 7 days: ${delivered.text} succeeded, ${failed.text} failed`,
      month: (delivered: Count, failed: Count): string =>
        `Last 30 days: ${delivered.text} succeeded, ${failed.text} failed`,
    },
  },
  actions: {
    enable: 'Enable',
    sendTest: 'Send test event',
    edit: 'Edit',
    disable: 'Disable',
    disableQuestion:
      'Nothing is delivered until you enable it again. Pending and retrying deliveries are disabled too; you can resend them later.',
    disableConfirm: 'Disable subscription',
    remove: 'Remove',
    removeQuestion:
      'Nothing more is sent to its target, including pending and retrying deliveries. This cannot be undone.',
    removeConfirm: 'Remove subscription',
  },
}
