import type { SignatureFormat } from '../subscriptions/signature-formats.ts'
import type { DisabledReason } from '../subscriptions/who-may-enable.ts'
import type { AccountMode } from './account-store.ts'

/**
 * How a subscription was created: by an integration through the API, or by the account's people in the dashboard. The
 * account's people cannot change a subscription that an integration created.
 */
export type SubscriptionSource = 'api' | 'dashboard'

/**
 * The order of deliveries.
 * - `none`: later events do not wait for a failed event.
 * - `subject`: an event waits until the earlier events of its subject have been delivered or have ended. Events of
 *   other subjects do not wait.
 */
export type Ordering = (typeof ORDERINGS)[number]
export const ORDERINGS = ['none', 'subject'] as const

export interface SubscriptionRef extends AccountMode {
  /** `sub_…`, or the id that the platform brought along with an import; see `isSubscriptionId`. */
  readonly id: string
}

export interface SealedSecret {
  /** The signing secret, sealed under the platform's key ring. */
  readonly sealed: string
  /** When the secret stops signing; undefined for the current secret. */
  readonly expiresAt: Date | undefined
}

export interface SubscriptionRecord extends SubscriptionRef {
  readonly source: SubscriptionSource
  readonly targetUrl: string
  readonly eventTypes: readonly string[]
  readonly integration: string
  readonly externalRef: string | undefined
  /** A label for people; only for subscriptions that were created in the dashboard or imported. */
  readonly description: string | undefined
  /**
   * The format version that the subscription is pinned to, such as `2026-01-31`. The catalogue may no longer have it.
   */
  readonly apiVersion: string
  /** Newest first. */
  readonly secrets: readonly SealedSecret[]
  /** How deliveries are signed: `['standard']`, unless the platform chose other formats. */
  readonly signatures: readonly SignatureFormat[]
  readonly state: 'active' | 'disabled'
  readonly disabledReason: DisabledReason | undefined
  readonly ordering: Ordering
  /**
   * Id of the confirming key, whose validity and scopes determine what is sent. It is the API key that was last given
   * to `create`, or as `confirmedBy` of an act, or that key's successor after a rotation. Undefined for a subscription
   * created in the dashboard, and for an imported one that no key has confirmed.
   */
  readonly confirmedBy: string | undefined
  /**
   * Whether personal data may be sent, as chosen in the dashboard or by the import. Counts only while `confirmedBy` is
   * undefined. Undefined for subscriptions that were created through the API.
   */
  readonly personalData: boolean | undefined
  readonly createdAt: Date
}
