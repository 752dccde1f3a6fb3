import type { AuditAction, AuditDetails } from '@callboard/core'

/** What was done, as a sentence without its subject. */
export const ACTION_WORDS: Readonly<Record<AuditAction, string>> = {
  'account.created': 'Created the account',
  'account.renamed': 'Renamed the account',
  'account.deleted': 'Deleted the account',
  'key.issued': 'Issued an API key',
  'key.rotated': 'Rotated an API key',
  'key.revoked': 'Revoked an API key',
  'key.version_set': 'Changed the format version of an API key',
  'subscription.created': 'Created a subscription',
  'subscription.confirmed': 'Asked for a subscription that exists',
  'subscription.changed': 'Changed a subscription',
  'subscription.removed': 'Removed a subscription',
  'subscription.disabled': 'Disabled a subscription',
  'subscription.enabled': 'Enabled a subscription',
  'subscription.skipped_to_now': 'Skipped all pending deliveries',
  'subscription.ordering_set': 'Changed the order of deliveries',
  'subscription.version_set': 'Changed the format version of a subscription',
  'secret.rotated': 'Rotated a signing secret',
  'secrets.rewrapped': 'Sealed signing secrets under a new key',
  'delivery.resent': 'Resent a delivery',
  'deliveries.resent': 'Resent deliveries of a time range',
  'personal_data.erased': 'Erased personal data from events',
  'versions.moved': 'Moved subscriptions and keys to another format version',
}

const FIELD_WORDS: Readonly<Record<string, string>> = {
  targetUrl: 'target URL',
  eventTypes: 'event types',
  personalData: 'personal data',
  description: 'description',
  apiVersion: 'format version',
}

/** Details in a few words; undefined if there is nothing that the action does not say. */
export function detailWords(details: AuditDetails): string | undefined {
  const { fields, scopes, states, reason, events, disabledSubscriptions, integration, apiVersion, ordering } = details
  const words = [
    listOf(fields, (name) => FIELD_WORDS[name] ?? name),
    listOf(scopes, (scope) => scope),
    listOf(states, (state) => state),
    typeof reason === 'string' ? `reason: ${reason}` : undefined,
    typeof integration === 'string' ? integration : undefined,
    typeof apiVersion === 'string' ? apiVersion : undefined,
    typeof ordering === 'string' ? `by ${ordering}` : undefined,
    typeof events === 'number' ? `${events} ${events === 1 ? 'event' : 'events'}` : undefined,
    typeof disabledSubscriptions === 'number' && disabledSubscriptions > 0
      ? `disabled ${disabledSubscriptions} ${disabledSubscriptions === 1 ? 'subscription' : 'subscriptions'}`
      : undefined,
  ].filter((word) => word !== undefined)
  return words.length === 0 ? undefined : words.join(' · ')
}

function listOf(value: AuditDetails[string] | undefined, word: (item: string) => string): string | undefined {
  return typeof value === 'object' && value.length > 0 ? value.map(word).join(', ') : undefined
}
