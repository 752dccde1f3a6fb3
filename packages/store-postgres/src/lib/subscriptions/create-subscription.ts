import type { Statement, SubscriptionKey } from '../sql/statement.ts'
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscription-row.ts'

export interface CreateParameters extends SubscriptionKey {
  readonly source: string
  readonly identity: Uint8Array | null
  readonly enablesFrom: readonly string[]
  readonly targetUrl: string
  /** Name and port of the target. */
  readonly host: string
  readonly eventTypes: readonly string[]
  readonly integration: string
  readonly externalRef: string | null
  readonly description: string | null
  readonly apiVersion: string
  readonly secret: string
  /** A UUID. */
  readonly confirmedBy: string | null
  readonly personalData: boolean | null
  readonly total: number
  readonly newPerMinute: number
  readonly entry: string
}

export type CreateRow =
  | (SubscriptionRow & { readonly outcome: 'created' | 'confirmed' | 'existing' })
  | { readonly outcome: 'limit_reached' | 'account_unknown' }
  | { readonly outcome: 'too_many_new'; readonly wait_ms: number }

export const createSubscription: Statement<CreateRow, CreateParameters> = {
  name: 'create-subscription',
  text: `
select outcome, wait_ms, ${SUBSCRIPTION_COLUMNS}
from (
  select r.outcome, r.wait_ms, (r.subscription).*
  from callboard.create_subscription(
    :accountId, :mode, :id::uuid, :source, :identity::bytea, :enablesFrom::text[], :targetUrl, :host,
    :eventTypes::text[], :integration, :externalRef, :description, :apiVersion, :secret, :confirmedBy::uuid,
    :personalData::boolean, :total::int, :newPerMinute::int, :entry::jsonb
  ) r
) s`,
}
