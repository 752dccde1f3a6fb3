import type { DisabledReason, SignatureFormat, SubscriptionRecord } from '@callboard/core'
import { idFromUuid, STANDARD_SIGNATURES } from '@callboard/core/store'
import { dateOf } from '../sql/row-values.ts'

export interface SubscriptionRow {
  account_id: string
  mode: 'live' | 'test'
  id: string
  /** The public id, if it is not `id`. */
  own_id: string | null
  source: 'api' | 'dashboard'
  target_url: string
  event_types: string[]
  integration: string
  external_ref: string | null
  description: string | null
  api_version: string
  secret: string
  former_secret: string | null
  former_secret_expires_at: number | null
  /** JSON; null for `['standard']`. */
  signatures: string | null
  state: 'active' | 'disabled' | 'removed'
  disabled_reason: DisabledReason | null
  ordering: 'none' | 'subject'
  confirmed_by: string | null
  personal_data: boolean | null
  created_at: number
}

/** SQL for the columns of a {@link SubscriptionRow}. */
export const SUBSCRIPTION_COLUMNS: string = `account_id, mode, id::text as id, own_id, source, target_url,
  event_types, integration, external_ref, description, api_version, secret,
  case when former_secret_expires_at > callboard.clock() then former_secret end as former_secret,
  extract(epoch from former_secret_expires_at)::float8 * 1000 as former_secret_expires_at,
  signatures::text as signatures, state, disabled_reason, ordering, confirmed_by::text as confirmed_by, personal_data,
  extract(epoch from created_at)::float8 * 1000 as created_at`

/** The secrets that sign a subscription's deliveries, newest first. */
export function secretsOf(
  row: Pick<SubscriptionRow, 'secret' | 'former_secret' | 'former_secret_expires_at'>,
): SubscriptionRecord['secrets'][number][] {
  const current = { sealed: row.secret, expiresAt: undefined }
  if (row.former_secret === null || row.former_secret_expires_at === null) return [current]
  return [current, { sealed: row.former_secret, expiresAt: dateOf(row.former_secret_expires_at) }]
}

/** The id under which a subscription is known. */
export function publicId({ id, own_id }: Pick<SubscriptionRow, 'id' | 'own_id'>): string {
  return own_id ?? idFromUuid('sub', id)
}

/** The formats of a subscription's signatures; undefined for the standard. */
export function signaturesOf({
  signatures,
}: Pick<SubscriptionRow, 'signatures'>): readonly SignatureFormat[] | undefined {
  return signatures === null ? undefined : JSON.parse(signatures)
}

export function toSubscription(row: SubscriptionRow): SubscriptionRecord {
  return {
    accountId: row.account_id,
    mode: row.mode,
    id: publicId(row),
    source: row.source,
    targetUrl: row.target_url,
    eventTypes: row.event_types,
    integration: row.integration,
    externalRef: row.external_ref ?? undefined,
    description: row.description ?? undefined,
    apiVersion: row.api_version,
    secrets: secretsOf(row),
    signatures: signaturesOf(row) ?? STANDARD_SIGNATURES,
    state: row.state === 'active' ? 'active' : 'disabled',
    disabledReason: row.disabled_reason ?? undefined,
    ordering: row.ordering,
    confirmedBy: row.confirmed_by === null ? undefined : idFromUuid('key', row.confirmed_by),
    personalData: row.personal_data ?? undefined,
    createdAt: dateOf(row.created_at),
  }
}
