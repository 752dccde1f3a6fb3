import type { Count } from '../count.ts'

export type OverviewTexts = typeof overview

/** The overview of all subscriptions. */
export const overview = {
  title: 'Overview',
  titleTroubled: ({ text, plural }: Count): string =>
    `Overview (${text} ${plural === 'one' ? 'needs' : 'need'} attention)`,
  lead: 'Your deliveries to all subscriptions',
  range: 'Time range',
  ranges: { hour: '1 hour', day: '24 hours', week: '7 days', month: '30 days' },
  covers: ({ text }: Count): string => `Covers your ${text} newest subscriptions.`,
  daysInUtc: 'Days begin and end in UTC.',
  numbers: 'In numbers',
  delivered: 'Delivered',
  failedAttempts: 'Failed attempts',
  failing: 'Failing',
  waiting: 'Waiting',
  attemptTime: 'Average time an attempt took',
  succeeded: (percent: string): string => `${percent} of attempts succeeded`,
  ofSubscriptions: (subscriptions: Count): string =>
    subscriptions.plural === 'one' ? 'of 1 subscription' : `of ${subscriptions.text} subscriptions`,
  pendingAndRetrying: (pending: string, retrying: string): string => `${pending} pending, ${retrying} retrying`,
  oldestWaits: (age: string): string => `The oldest has waited ${age}.`,
  nothingWaits: 'Nothing is waiting.',
  noAttempts: 'no attempts',
  attempts: 'Attempts',
  disabled: (subscriptions: string): string => `${subscriptions} disabled`,
  needAttention: 'Needs attention',
  someNeedAttention: (shown: string, all: string): string => `Needs attention (${shown} of ${all})`,
  noneTroubled: { title: 'Nothing needs attention', body: 'Every active subscription is working.' },
  newestFailures: 'Newest failures',
  failuresCaption: 'Failed deliveries, newest failure first',
  noneFailed: { title: 'No failures', body: 'Failed attempts appear here.' },
  answer: 'Answer',
  failedAt: 'When',
  slowest: 'Slowest targets',
  slowestCaption: 'Targets, slowest first',
  slowestOf: ({ text }: Count): string => `Only targets with at least ${text} attempts are compared.`,
  fewAttempts: ({ text }: Count): string =>
    `No target has had ${text} attempts in this time, so these averages say little.`,
  average: 'Average',
  attemptCount: 'Attempts',
  noneSlow: { title: 'No attempts in this time', body: 'The average response times of your targets appear here.' },
}
