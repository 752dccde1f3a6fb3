import type { SubscriptionRecord } from '@callboard/core'
import { idFromUuid, type SealedSecret } from '@callboard/core/store'
import { dateOf } from '../sql/row-values.ts'
import type { SubscriptionRow } from './subscription-row.ts'

/** The secrets that sign a subscription's deliveries, newest first. */
export function secretsOf(
  row: Pick<SubscriptionRow, 'secret' | 'former_secret' | 'former_secret_expires_at'>,
): SealedSecret[] {
  const current = { sealed: row.secret, expiresAt: undefined }
  if (row.former_secret === null || row.former_secret_expires_at === null) return [current]
  return [current, { sealed: row.former_secret, expiresAt: dateOf(row.former_secret_expires_at) }]
}

export function toSubscription(row: SubscriptionRow): SubscriptionRecord {
  return {
    accountId: row.account_id,
    mode: row.mode,
    id: idFromUuid('sub', row.id),
    source: row.source,
    targetUrl: row.target_url,
    eventTypes: row.event_types,
    integration: row.integration,
    externalRef: row.external_ref ?? undefined,
    description: row.description ?? undefined,
    apiVersion: row.api_version,
    secrets: secretsOf(row),
    state: row.state === 'active' ? 'active' : 'disabled',
    disabledReason: row.disabled_reason ?? undefined,
    ordering: row.ordering,
    confirmedBy: row.confirmed_by === null ? undefined : idFromUuid('key', row.confirmed_by),
    personalData: row.personal_data ?? undefined,
    createdAt: dateOf(row.created_at),
  }
}
