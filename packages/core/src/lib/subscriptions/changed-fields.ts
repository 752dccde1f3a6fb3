import { isSameJson } from '../events/is-same-json.ts'
import type { SubscriptionRecord } from '../ports/subscription-record.ts'

/** What the acts on a subscription can change. Secrets are left out: only their rotation changes them. */
const FIELDS = [
  'targetUrl',
  'eventTypes',
  'personalData',
  'description',
  'externalRef',
  'apiVersion',
  'signatures',
  'state',
  'disabledReason',
  'ordering',
  'confirmedBy',
] as const

/** The names of the fields whose values differ. */
export function changedFields(before: SubscriptionRecord, after: SubscriptionRecord): string[] {
  return FIELDS.filter((field) => !isSameJson(before[field], after[field]))
}
