import type { Mode } from '../accounts/mode.ts'
import type { SubscriptionChanges } from '../subscriptions/subscription-input.ts'
import type { DisabledReason } from '../subscriptions/who-may-enable.ts'

/** Who made the subscription: a caller of the API (read-only elsewhere), or someone in the dashboard. */
export type SubscriptionSource = 'api' | 'dashboard'

/**
 * `subject`: an event waits until the earlier ones of its subject were delivered or have ended; other subjects flow on. `none`:
 * what fails is overtaken.
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
  /** Signs until then; undefined: until it is rotated. */
  readonly expiresAt: Date | undefined
}

export interface SubscriptionRecord extends SubscriptionRef {
  readonly source: SubscriptionSource
  readonly targetUrl: string
  readonly eventTypes: readonly string[]
  readonly integration: string
  readonly externalRef: string | undefined
  /** What people call it (dashboard). */
  readonly description: string | undefined
  readonly apiVersion: string
  /** Newest first. */
  readonly secrets: readonly SealedSecret[]
  readonly state: 'active' | 'disabled'
  readonly disabledReason: DisabledReason | undefined
  readonly ordering: Ordering
  /** The key whose scope and validity count (API). */
  readonly confirmedBy: string | undefined
  /** The explicit choice (dashboard); undefined for API-made ones. */
  readonly personalData: boolean | undefined
  readonly createdAt: Date
}

/** A subscription and the sealed texts of it that sign, newest first. */
export interface SealedSubscription {
  readonly ref: SubscriptionRef
  readonly sealed: readonly string[]
}

export interface NewSubscription extends SubscriptionRef {
  readonly source: SubscriptionSource
  /** Digest of what makes two subscriptions the same; undefined: never the same as another. */
  readonly identity: Uint8Array | undefined
  /** The reasons from which the same one is enabled when it is found. */
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
   * Makes a subscription, or finds the same one. Of any number of racing calls with the same identity one creates and
   * the others get that one. A new one receives the events whose transaction was not visible at this moment and none
   * older, whether a worker runs or not.
   *
   * The same one found: the calling key, if there is one, becomes its confirming key (the end of its chain of successors, if it was
   * rotated meanwhile), and it is enabled as by {@link enable}, from the reasons that the request names.
   *
   * `limit_reached` when the account has `limit` subscriptions in this mode, exact under races; never for one that exists.
   * Throws `ACCOUNT_UNKNOWN` when there is no such account.
   */
  create(subscription: NewSubscription, limit: number): Promise<CreateOutcome>

  find(ref: SubscriptionRef): Promise<SubscriptionRecord | undefined>

  /** The event types that any subscription that is not removed names, in any account; for the report at start-up. */
  typesInUse(): Promise<string[]>

  /** Sealed secrets of some subscriptions that are not removed, for the check at start-up that the key ring is the right one. */
  sealedSample(limit: number): Promise<{ readonly id: string; readonly sealed: string }[]>

  /** Those not removed, newest first. */
  list(accountId: string, mode: Mode): Promise<SubscriptionRecord[]>

  /**
   * Removes one: nothing is leased for it from now on. `already` when it was removed before, `unknown` when it is not
   * there in this account and mode, or comes from none of the sources.
   */
  remove(ref: SubscriptionRef, sources: readonly SubscriptionSource[]): Promise<'removed' | 'already' | 'unknown'>

  /**
   * Changes one, and gives it as it is then; undefined when it is not there. Other event types count from the feed's head: what was
   * placed before goes by the former ones, so what waits of a type that is named no more is still delivered, and nothing older of a new one
   * is. To another target goes all that waits, retries now, with a breaker that is closed and nothing held against it: whoever sends to
   * the former one at that moment is fenced out, and what it was sending is sent again. A disabled one stays disabled.
   * Throws `VALIDATION_FAILED`, and changes nothing, while too much of earlier changes of the event types waits (`changeShare`).
   */
  change(ref: SubscriptionRef, changes: SubscriptionChanges): Promise<SubscriptionRecord | undefined>

  /**
   * Stops deliveries; what waits ends as `disabled`. One that is disabled already takes the new reason if its own is among those
   * that are replaced, and keeps its own otherwise. False when it is not there.
   */
  disable(ref: SubscriptionRef, reason: DisabledReason, replaces: readonly DisabledReason[]): Promise<boolean>

  /**
   * Ends what waits as `skipped`, retries included; what comes from now on is delivered. What is being sent at this moment still counts when it
   * succeeds, and is skipped when it fails. Nothing vanishes: what was committed and has no place in the feed yet ends too.
   */
  skipToNow(ref: SubscriptionRef): Promise<'skipped' | 'disabled' | 'unknown'>

  /**
   * Enables one from what is new, if the reason it is disabled for is among these; `refused` when it is not. What waited has ended as
   * `disabled`, and is listed so, also what was committed before and had no place in the feed yet. One that is active stays as it is.
   */
  enable(ref: SubscriptionRef, from: readonly DisabledReason[]): Promise<'enabled' | 'refused' | 'unknown'>

  /**
   * Sets the order of deliveries. To `none`, what waits for an earlier event is due now; to `subject`, what has not been tried
   * yet waits for whatever of its subject is being retried. False when it is not there.
   */
  setOrdering(ref: SubscriptionRef, ordering: Ordering): Promise<boolean>

  /**
   * Makes a new secret the one shown, and lets the former sign beside it for the overlap. False when it is not there, or when `from` is
   * given and is not the sealed text of the one shown: of racing calls that name the same, one does it.
   */
  rotateSecret(ref: SubscriptionRef, sealedSecret: string, overlapMs: number, from?: string): Promise<boolean>

  /**
   * The sealed secrets that sign, of subscriptions that are not removed, disabled ones included: those of `limit` subscriptions
   * behind `after`, in a fixed order that goes through every subscription which is there throughout.
   */
  sealedSecrets(after: SubscriptionRef | undefined, limit: number): Promise<SealedSubscription[]>

  /**
   * Puts another sealed text of the same secret in the place of one, whether it is the newest or the former by now. False, and
   * nothing changes, when it is neither any more: a rotation that came between wins.
   */
  replaceSealed(ref: SubscriptionRef, from: string, to: string): Promise<boolean>
}
