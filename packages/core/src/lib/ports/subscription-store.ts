import type { Mode } from '../accounts/mode.ts'
import type { SubscriptionChanges } from '../subscriptions/subscription-input.ts'
import type { DisabledReason } from '../subscriptions/who-may-enable.ts'

/**
 * How a subscription was created: through the API (read-only elsewhere) or by the account's people in the dashboard.
 */
export type SubscriptionSource = 'api' | 'dashboard'

/**
 * The order of deliveries.
 * - `none`: later events overtake a failed one.
 * - `subject`: an event waits until the earlier events of its subject have been delivered or have ended. Other subjects
 *   are not held up.
 */
export type Ordering = 'none' | 'subject'

export interface SubscriptionRef {
  readonly accountId: string
  readonly mode: Mode
  readonly id: string
}

export interface SealedSecret {
  /** The signing secret, sealed under the platform's key ring. */
  readonly sealed: string
  /** When the secret stops signing; undefined for the current one. */
  readonly expiresAt: Date | undefined
}

export interface SubscriptionRecord extends SubscriptionRef {
  readonly source: SubscriptionSource
  readonly targetUrl: string
  readonly eventTypes: readonly string[]
  readonly integration: string
  readonly externalRef: string | undefined
  /** A label for people (dashboard only). */
  readonly description: string | undefined
  readonly apiVersion: string
  /** Newest first. */
  readonly secrets: readonly SealedSecret[]
  readonly state: 'active' | 'disabled'
  readonly disabledReason: DisabledReason | undefined
  readonly ordering: Ordering
  /** The key whose validity and scopes decide what is sent (API only). */
  readonly confirmedBy: string | undefined
  /** Whether personal data may be sent, as chosen in the dashboard; undefined when created through the API. */
  readonly personalData: boolean | undefined
  readonly createdAt: Date
}

/** A subscription with its sealed secrets that still sign, newest first. */
export interface SealedSubscription {
  readonly ref: SubscriptionRef
  readonly sealed: readonly string[]
}

export interface NewSubscription extends SubscriptionRef {
  readonly source: SubscriptionSource
  /** Digest that two subscriptions share when they count as the same; undefined for one that never does. */
  readonly identity: Uint8Array | undefined
  /** Reasons from which an existing disabled subscription with the same identity is enabled. */
  readonly enablesFrom: readonly DisabledReason[]
  readonly targetUrl: string
  readonly eventTypes: readonly string[]
  readonly integration: string
  readonly externalRef: string | undefined
  /** None by default. */
  readonly description?: string | undefined
  readonly apiVersion: string
  readonly sealedSecret: string
  readonly confirmedBy: string | undefined
  readonly personalData: boolean | undefined
}

export type CreateOutcome =
  | { readonly outcome: 'created' | 'existing'; readonly subscription: SubscriptionRecord }
  | { readonly outcome: 'limit_reached' }

export interface SubscriptionStore {
  /**
   * Creates a subscription, or finds the one with the same identity. However many calls with one identity race, one of
   * them creates it and the others find it. A new subscription receives exactly the events whose transactions were not
   * yet visible at this moment, whether or not a worker is running.
   *
   * When one is found, the calling key, if there is one, becomes its confirming key. A key rotated in the meantime is
   * replaced by its latest successor. The subscription is also enabled as by {@link enable}, from `enablesFrom`.
   *
   * `limit_reached` when the account already has `limit` subscriptions in this mode: exact under races, and never for
   * one that is found. Throws `ACCOUNT_UNKNOWN` when the account does not exist.
   */
  create(subscription: NewSubscription, limit: number): Promise<CreateOutcome>

  find(ref: SubscriptionRef): Promise<SubscriptionRecord | undefined>

  /** Lists the event types of all subscriptions that are not removed, in all accounts, for the report at start-up. */
  typesInUse(): Promise<string[]>

  /**
   * Reads sealed secrets of a few subscriptions that are not removed, to check at start-up that the key ring opens
   * them.
   */
  sealedSample(limit: number): Promise<{ readonly id: string; readonly sealed: string }[]>

  /** Lists the subscriptions that are not removed, newest first. */
  list(accountId: string, mode: Mode): Promise<SubscriptionRecord[]>

  /**
   * Removes a subscription: its retries are deleted, nothing is leased for it from now on, and a lease that a worker
   * still holds is lost. `already` when it was removed before. `unknown` when it does not exist in this account and
   * mode, or its source is not among `sources`.
   */
  remove(ref: SubscriptionRef, sources: readonly SubscriptionSource[]): Promise<'removed' | 'already' | 'unknown'>

  /**
   * Changes a subscription and returns it as changed; undefined when it does not exist. A disabled one stays disabled.
   *
   * New event types apply from the feed's head: events sequenced before follow the former types. Pending deliveries of
   * a dropped type are therefore still sent, and an added type brings no older events.
   *
   * A new target gets everything that is pending. Retries become due at once, the breaker closes, and past failures are
   * forgotten. A worker sending to the former target at this moment is fenced, and what it was sending is sent again.
   *
   * Throws `VALIDATION_FAILED`, and changes nothing, while deliveries from too many earlier changes of the event types
   * are pending (`changeShare`).
   */
  change(ref: SubscriptionRef, changes: SubscriptionChanges): Promise<SubscriptionRecord | undefined>

  /**
   * Disables a subscription: nothing is leased for it from now on, and its pending deliveries end as `disabled`. A
   * worker that holds its lease can still settle what it sent. A subscription disabled before takes the new reason if
   * its own is among `replaces`, and otherwise keeps its own. False when it does not exist.
   */
  disable(ref: SubscriptionRef, reason: DisabledReason, replaces: readonly DisabledReason[]): Promise<boolean>

  /**
   * Ends everything pending or retrying as `skipped`, including committed events without a position; later events are
   * delivered. A delivery that is being sent at this moment is delivered if it succeeds and skipped if it fails.
   */
  skipToNow(ref: SubscriptionRef): Promise<'skipped' | 'disabled' | 'unknown'>

  /**
   * Enables a subscription if its disabled reason is among `from`, and otherwise returns `refused`. Only events from
   * now on are delivered. Everything before ends and is listed as `disabled`, including committed events without a
   * position. An active subscription stays as it is and counts as enabled.
   */
  enable(ref: SubscriptionRef, from: readonly DisabledReason[]): Promise<'enabled' | 'refused' | 'unknown'>

  /**
   * Sets the order of deliveries. With `none`, events that wait for an earlier one become due now. With `subject`,
   * events not attempted yet wait for any event of their subject that is being retried. False when it does not exist.
   */
  setOrdering(ref: SubscriptionRef, ordering: Ordering): Promise<boolean>

  /**
   * Makes a new secret current; the former one keeps signing for the overlap. False when the subscription does not
   * exist, or when `from` is given and is not the sealed text of the current secret. So one of several racing calls
   * with the same `from` succeeds.
   */
  rotateSecret(ref: SubscriptionRef, sealedSecret: string, overlapMs: number, from?: string): Promise<boolean>

  /**
   * Reads the sealed secrets that still sign, for up to `limit` subscriptions after `after`, in a fixed order. Includes
   * disabled subscriptions, but not removed ones. A walk visits every subscription that exists throughout.
   */
  sealedSecrets(after: SubscriptionRef | undefined, limit: number): Promise<SealedSubscription[]>

  /**
   * Replaces a sealed text by another one of the same secret, whether that secret is the current or the former one.
   * False, and nothing changes, when the subscription has no such sealed text: a rotation in between wins.
   */
  replaceSealed(ref: SubscriptionRef, from: string, to: string): Promise<boolean>
}
