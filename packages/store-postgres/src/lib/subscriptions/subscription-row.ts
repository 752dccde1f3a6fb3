import type { DisabledReason } from '@callboard/core'

export interface SubscriptionRow {
  account_id: string
  mode: 'live' | 'test'
  id: string
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
  state: 'active' | 'disabled' | 'removed'
  disabled_reason: DisabledReason | null
  ordering: 'none' | 'subject'
  confirmed_by: string | null
  personal_data: boolean | null
  created_at: number
}

/** SQL for the columns of a {@link SubscriptionRow}. */
export const SUBSCRIPTION_COLUMNS: string = `account_id, mode, id::text as id, source, target_url, event_types,
  integration, external_ref, description, api_version, secret,
  case when former_secret_expires_at > callboard.clock() then former_secret end as former_secret,
  extract(epoch from former_secret_expires_at)::float8 * 1000 as former_secret_expires_at,
  state, disabled_reason, ordering, confirmed_by::text as confirmed_by, personal_data,
  extract(epoch from created_at)::float8 * 1000 as created_at`
