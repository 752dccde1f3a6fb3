import type { Html } from '../../html.ts'
import type { Count } from '../count.ts'

export type AuditTexts = typeof audit

/** The audit trail. */
export const audit = {
  title: 'Audit trail',
  lead: 'Who did what with API keys, subscriptions, secrets and deliveries, newest first',
  leadOf: (id: Html): Html => ['Who did what with ', id, ', newest first'],
  showAll: 'Show everything',
  caption: 'Audit trail, newest first',
  none: { title: 'Nothing here', body: 'Changes to API keys, subscriptions and deliveries appear here.' },
  what: 'What',
  of: 'Object',
  who: 'Who',
  when: 'When',
  key: 'API key',
  somebody: 'Somebody in the dashboard',
  automatically: 'Automatically',
  platform: 'The platform',
  /** The action, as a sentence without its subject. */
  actions: {
    'account.created': 'Created the account',
    'account.renamed': 'Renamed the account',
    'account.deleted': 'Deleted the account',
    'key.issued': 'Issued an API key',
    'key.rotated': 'Rotated an API key',
    'key.revoked': 'Revoked an API key',
    'key.version_set': 'Changed the format version of an API key',
    'subscription.created': 'Created a subscription',
    'subscription.confirmed': 'Asked for a subscription that already exists',
    'subscription.changed': 'Changed a subscription',
    'subscription.removed': 'Removed a subscription',
    'subscription.disabled': 'Disabled a subscription',
    'subscription.enabled': 'Enabled a subscription',
    'subscription.skipped_to_now': 'Skipped all pending deliveries',
    'subscription.ordering_set': 'Changed the order of deliveries',
    'subscription.version_set': 'Changed the format version of a subscription',
    'backfill.started': 'Started to send earlier events',
    'backfill.cancelled': 'Stopped sending earlier events',
    'secret.rotated': 'Rotated a signing secret',
    'secrets.rewrapped': 'Encrypted signing secrets with a new key',
    'delivery.resent': 'Resent a delivery',
    'deliveries.resent': 'Resent deliveries of a time range',
    'personal_data.erased': 'Erased personal data from events',
    'versions.moved': 'Moved subscriptions and keys to another format version',
  },
  fields: {
    targetUrl: 'target URL',
    eventTypes: 'event types',
    personalData: 'personal data',
    description: 'description',
    apiVersion: 'format version',
  },
  reasons: {
    gone: '410 Gone',
    failing: 'failing',
    key: 'API key',
    account: 'account',
    platform: 'platform',
  },
  reason: (reason: string): string => `reason: ${reason}`,
  orderings: { none: 'in any order', subject: 'by subject' },
  events: ({ text, plural }: Count): string => `${text} ${plural === 'one' ? 'event' : 'events'}`,
  disabledSubscriptions: ({ text, plural }: Count): string =>
    `disabled ${text} ${plural === 'one' ? 'subscription' : 'subscriptions'}`,
}
