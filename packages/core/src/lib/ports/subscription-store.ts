import type { Mode } from '../accounts/mode.ts'
import type { SignatureFormat } from '../subscriptions/signature-formats.ts'
import type { DisabledReason } from '../subscriptions/who-may-enable.ts'
import type { AuditDraft } from './audit-store.ts'
import type {
  Ordering,
  SealedSecret,
  SubscriptionRecord,
  SubscriptionRef,
  SubscriptionSource,
} from './subscription-record.ts'

/** A subscription and the sealed forms of its secrets that still sign, newest first. */
export interface SealedSubscription {
  readonly ref: SubscriptionRef
  readonly sealed: readonly string[]
}

/** What a new subscription and an imported one have in common. */
interface SubscriptionDraft
  extends SubscriptionRef,
    Pick<SubscriptionRecord, 'targetUrl' | 'eventTypes' | 'integration' | 'externalRef' | 'apiVersion'> {
  /** `['standard']` by default. */
  readonly signatures?: readonly SignatureFormat[] | undefined
}

export interface NewSubscription
  extends SubscriptionDraft,
    Pick<SubscriptionRecord, 'source' | 'confirmedBy' | 'personalData'> {
  /**
   * Two subscriptions of the same account and mode count as the same subscription if these digests are equal. Undefined
   * for a subscription that never counts as the same as another.
   */
  readonly identity: Uint8Array | undefined
  /**
   * If a subscription with the same identity already exists, and was disabled for one of these reasons, `create`
   * enables it.
   */
  readonly enablesFrom: readonly DisabledReason[]
  /** No description by default. */
  readonly description?: string | undefined
  readonly sealedSecret: string
}

export interface SubscriptionLimits {
  /** The most subscriptions an account can have in each mode. */
  readonly total: number
  /** The most subscriptions an account can create within a minute, across both modes. */
  readonly newPerMinute: number
}

export type CreateOutcome =
  /** `confirmed`: it existed, and got another confirming key or was enabled. `existing`: nothing has changed. */
  | { readonly outcome: 'created' | 'confirmed' | 'existing'; readonly subscription: SubscriptionRecord }
  | { readonly outcome: 'limit_reached' }
  /** `retryAfterMs` is the time until the account may create another subscription. */
  | { readonly outcome: 'too_many_new'; readonly retryAfterMs: number }

/** A subscription that the platform brings along from another system, as if it had been created through the API. */
export interface ImportedSubscription
  extends SubscriptionDraft,
    Pick<SubscriptionRecord, 'description' | 'disabledReason' | 'createdAt'> {
  /** An id of the form `sub_…` with the time of `createdAt`. It is `id` itself, if that has this form. */
  readonly laneId: string
  /**
   * Whether the platform chose `id`. If not, an imported subscription of the same account and mode with one of
   * `digests` is the same subscription.
   */
  readonly named: boolean
  /**
   * Keyed digests of the input, one for each key of the platform's key ring, as `EventDraft.digests`. The store keeps
   * only the first digest. Inputs count as equal unless both were digested with the same key and the digests differ.
   */
  readonly digests: readonly string[]
  /** As {@link NewSubscription.identity}. */
  readonly identity: Uint8Array
  /** Newest first. */
  readonly secrets: readonly [current: SealedSecret, former?: SealedSecret]
  readonly personalData: boolean
  readonly entry: AuditDraft
}

export interface ImportLimits {
  /** The most subscriptions an account can have in each mode. */
  readonly total: number
  /** Whether to return the outcomes without storing anything. */
  readonly dryRun: boolean
}

export type ImportOutcome =
  /**
   * - `imported`: the subscription is stored.
   * - `duplicate`: the subscription is stored, but without its identity, which another one has.
   * - `existing`: an earlier import with the same input has stored it. `id` is its id.
   */
  | { readonly outcome: 'imported' | 'duplicate' | 'existing'; readonly id: string }
  /**
   * - `taken`: another subscription has the id.
   * - `changed`: it was imported before with other input.
   * - `removed`: it was imported before, with any input, and has been removed since.
   */
  | { readonly outcome: 'taken' | 'changed' | 'removed' | 'limit_reached' | 'account_unknown' }

/** Changes to a subscription. Omitted fields stay as they are. */
export interface SubscriptionChanges {
  readonly targetUrl?: string | undefined
  readonly eventTypes?: readonly string[] | undefined
  readonly personalData?: boolean | undefined
  /** Null removes the description. */
  readonly description?: string | null | undefined
  /**
   * The format version to pin the subscription to; deliveries that are leased from now on use it. The version must have
   * the subscription's event types, except types that the newest version lacks too.
   */
  readonly apiVersion?: string | undefined
}

/** Changes that the act {@link Revise} can make. */
export interface RevisedFields extends SubscriptionChanges {
  /** Null removes the caller's own id; only for subscriptions from the API. */
  readonly externalRef?: string | null | undefined
  readonly signatures?: readonly SignatureFormat[] | undefined
}

/**
 * Changes fields, and with `state` also disables or enables the subscription; all of it or nothing. If nothing is
 * different, nothing changes, not even the confirming key.
 *
 * New event types apply only to events that are sequenced after the change. So pending deliveries of a dropped type are
 * still sent, and earlier events of an added type are not delivered.
 *
 * If the target changes, all pending deliveries go to the new target. Retries become due immediately, the breaker
 * closes, and past failures are forgotten. A worker that is sending to the old target loses its lease, and its
 * deliveries are sent again to the new target.
 *
 * Only the current and the previous event types are known with their positions. Deliveries from before the previous
 * types are listed only if they have a record: an attempt, a retry or an end.
 *
 * The act is refused if it changes the event types while deliveries from before their last change are pending. If the
 * subscription is disabled, or this act disables or enables it, its pending deliveries end as `disabled` instead. The
 * entry gets the names of the changed fields as `fields`.
 */
export interface Revise {
  readonly act: 'revise'
  readonly changes: RevisedFields
  /** Disables the subscription before its fields change, or enables it afterwards. By default, its state stays. */
  readonly state?: Disable | Omit<Enable, 'confirmedBy'> | undefined
  /**
   * The digest of the subscription's identity with the changes, as {@link NewSubscription.identity}. By default, the
   * identity stays. Only one of several acts and creations with the same identity succeeds.
   */
  readonly identity?: Uint8Array | undefined
  /** The fields that the caller computed `identity` from; any by default. */
  readonly seen?: Pick<SubscriptionRecord, 'targetUrl' | 'eventTypes' | 'externalRef'> | undefined
  /** As for {@link Enable.confirmedBy}. */
  readonly confirmedBy?: string | undefined
}

/**
 * Disables the subscription: its lane can no longer be leased, and its pending deliveries end as `disabled`. A worker
 * that has already leased the lane can still settle the deliveries that it sent, until its lease expires, even if the
 * subscription is enabled again.
 */
export interface Disable {
  readonly act: 'disable'
  readonly reason: DisabledReason
  /**
   * If the subscription is already disabled, the new reason replaces the old one only if the old one is among these.
   */
  readonly replaces: readonly DisabledReason[]
}

/**
 * Enables the subscription if its disabled reason is among `from`; otherwise the act is refused. Only events published
 * from now on are delivered. Deliveries of earlier events, including committed events without a position, end as
 * `disabled`. An active subscription stays active.
 *
 * If a worker still holds a lease from before the subscription was disabled, the lane stays leased until that lease is
 * settled or expires, so that no later event overtakes an attempt in flight. That attempt decides the outcome of its
 * delivery. But if the delivery would have to be retried, it ends as `disabled`.
 */
export interface Enable {
  readonly act: 'enable'
  readonly from: readonly DisabledReason[]
  /**
   * Becomes the confirming key, as in {@link SubscriptionStore.createSubscription}. By default, the subscription keeps
   * its key.
   */
  readonly confirmedBy?: string | undefined
}

/**
 * Ends all pending and retrying deliveries as `skipped`, including those of committed events without a position. Later
 * events are delivered. A delivery with an attempt in flight ends as `delivered` if the attempt succeeds, and as
 * `skipped` if it fails. Refused if the subscription is disabled.
 */
export interface SkipToNow {
  readonly act: 'skip_to_now'
}

/**
 * Sets the order of deliveries. With `none`, events that wait for an earlier event become due now. With `subject`,
 * events that have not been attempted yet wait for any retrying event of their subject.
 */
export interface SetOrdering {
  readonly act: 'set_ordering'
  readonly ordering: Ordering
}

/** Makes a new secret current; the old secret keeps signing during the overlap. */
export interface RotateSecret {
  readonly act: 'rotate_secret'
  readonly sealedSecret: string
  readonly overlapMs: number
  /**
   * The act is refused if this is not the sealed form of the current secret. So only one of several acts with the same
   * `from` succeeds.
   */
  readonly from?: string | undefined
  /** As for {@link Enable.confirmedBy}. */
  readonly confirmedBy?: string | undefined
}

/**
 * Sends the events of the subscription's present types that were published at `since` or later, and from before it was
 * created, last enabled or skipped to now. It sends them oldest first, beside new events, and leaves out those that were
 * delivered or are retrying. If retention has removed the first of them, it begins with the oldest that is left.
 *
 * An earlier `since` than that of the present backfill extends it. A later one changes nothing, unless the present
 * backfill was cancelled, or the subscription was enabled or skipped since.
 *
 * Refused if the subscription is disabled. Disabling the subscription and skipping to now cancel a backfill.
 */
export interface BackfillFrom {
  readonly act: 'start_backfill'
  readonly since: Date
}

/** Ends the present backfill. What is in flight finishes and is retried as usual; no further event of it is sent. */
export interface CancelBackfill {
  readonly act: 'cancel_backfill'
}

/**
 * - `running`: events are left to send.
 * - `done`: the backfill has gone through all its events; some may still be retrying.
 * - `cancelled`: ended by {@link CancelBackfill}, or because the subscription was disabled or skipped to now.
 */
export type BackfillState = 'running' | 'done' | 'cancelled'

/** The last backfill of a subscription. */
export interface BackfillRecord {
  readonly state: BackfillState
  readonly since: Date
  /** When it was started or last extended. */
  readonly startedAt: Date
  /** When the last event that it has passed was published; undefined if it has passed none, or if none is stored. */
  readonly reachedAt: Date | undefined
}

/**
 * Removes the subscription: deletes its retries, prevents further leases, and ends a lease that a worker still holds.
 * Nothing changes when it was removed before. To every other act, a removed subscription is unknown.
 */
export interface Remove {
  readonly act: 'remove'
  /** A subscription of another source is unknown. */
  readonly sources: readonly SubscriptionSource[]
}

export type SubscriptionAct =
  | Revise
  | Disable
  | Enable
  | SkipToNow
  | SetOrdering
  | RotateSecret
  | BackfillFrom
  | CancelBackfill
  | Remove

export type ChangeOutcome =
  /** The subscription as it is now. Of one that was removed, `state` says nothing. */
  | { readonly outcome: 'changed' | 'unchanged'; readonly subscription: SubscriptionRecord }
  /** The act says when it is refused. Nothing has changed. */
  | { readonly outcome: 'refused' }
  /** `revise` would have enabled a subscription that is disabled for a reason that is not in `state.from`. */
  | { readonly outcome: 'stays_disabled' }
  /** `revise` would have given the subscription the identity of another one. */
  | { readonly outcome: 'exists'; readonly subscriptionId: string }
  /** The fields in `seen` of `revise` have changed in the meantime. */
  | { readonly outcome: 'stale' }
  /** The account has no such subscription in this mode. */
  | { readonly outcome: 'unknown' }

/**
 * A call that changes something is given the entry of the audit trail that says so. The change and its entry are stored
 * together, or neither is. A call that is refused, or that changes nothing, leaves no entry.
 */
export interface SubscriptionStore {
  /**
   * Creates a subscription, or finds the existing one with the same identity. When several calls with the same identity
   * race, one call creates the subscription and the others find it.
   *
   * A new subscription receives every event of its types whose transaction becomes visible after the creation, even if
   * no worker is running then. It receives no earlier event.
   *
   * An existing subscription is enabled, as by {@link Enable}, if it was disabled for one of the reasons in
   * `enablesFrom`. If `confirmedBy` is given, that key becomes its confirming key. If the key was rotated in the
   * meantime, its latest successor is used instead. Such a change is recorded as `subscription.confirmed`, with the id
   * of the existing subscription.
   *
   * Returns `limit_reached` when a new subscription would exceed `limits.total`. Otherwise returns `too_many_new` when
   * it would exceed `limits.newPerMinute`, which also counts subscriptions that were removed since. Both limits are
   * exact even when calls race. Throws `ACCOUNT_UNKNOWN` when the account does not exist. Throws an error without a
   * code, and changes nothing, when a subscription of this or another account has the same `id`.
   */
  createSubscription(
    subscription: NewSubscription,
    limits: SubscriptionLimits,
    entry: AuditDraft,
  ): Promise<CreateOutcome>

  /**
   * Imports subscriptions, each with its own outcome, as if one were imported after the other. Each one is stored with
   * its entry, or not at all. Of several calls that race with the same subscriptions, one imports them and the others
   * find them.
   *
   * A subscription has no confirming key until `createSubscription` or an act gives it one. If it is active, it
   * receives the events that {@link createSubscription} describes, counted from the import. It does not count against
   * `SubscriptionLimits.newPerMinute`. No two subscriptions in one call may have the same id, or the same digests while
   * neither is `named`.
   */
  importSubscriptions(subscriptions: readonly ImportedSubscription[], limits: ImportLimits): Promise<ImportOutcome[]>

  /** Changes a subscription by one act. */
  changeSubscription(ref: SubscriptionRef, act: SubscriptionAct, entry: AuditDraft): Promise<ChangeOutcome>

  find(ref: SubscriptionRef): Promise<SubscriptionRecord | undefined>

  /** The subscription's last backfill; undefined if it never had one, or if the subscription does not exist. */
  findBackfill(ref: SubscriptionRef): Promise<BackfillRecord | undefined>

  /** Lists the subscriptions that are not removed, newest first. */
  list(accountId: string, mode: Mode): Promise<SubscriptionRecord[]>

  /**
   * Lists the event types of all subscriptions that are not removed, in all accounts, so that a worker can report at
   * start-up which of these types the catalogue lacks.
   */
  typesInUse(): Promise<string[]>

  /**
   * Reads the sealed secrets that still sign, for up to `limit` subscriptions after `after`, in a fixed order. Includes
   * disabled subscriptions, but not removed ones. Calls that each continue after the last subscription of the previous
   * call return every subscription that exists throughout.
   */
  sealedSecrets(after: SubscriptionRef | undefined, limit: number): Promise<SealedSubscription[]>

  /**
   * Replaces `from`, the sealed form of a current or old secret, with `to`, another sealed form of the same secret.
   * Nothing changes when the subscription no longer has `from`, for example after a rotation. Leaves no entry, because
   * the secret stays the same.
   */
  replaceSealed(ref: SubscriptionRef, from: string, to: string): Promise<{ readonly outcome: 'changed' | 'unchanged' }>
}
