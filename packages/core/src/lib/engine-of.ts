import type { Admissions } from './admission/admission.ts'
import type { ApiDeliveries } from './deliveries/api-deliveries.ts'
import type { EventFeed } from './events/event-feed.ts'
import type { EventTexts } from './events/events.ts'
import type { FeedFollowing } from './feed/feed-following.ts'
import type { ReadHeaderNames } from './header-names.ts'
import type { GuardedHooks } from './hooks/hooks.ts'
import type { SignedKeyIds } from './keys/signed-key-ids.ts'
import type { OperationalEvents } from './operational/operational-events.ts'
import type { Store } from './ports/whole-store.ts'
import type { SecretBox } from './secrets/secret-box.ts'
import type { ApiBackfills } from './subscriptions/api-backfills.ts'
import type { ApiSubscriptions } from './subscriptions/api-subscriptions.ts'
import type { AddressPolicy } from './targets/address-policy.ts'
import type { Telemetry } from './telemetry/telemetry.ts'
import type { Formats } from './versions/formats.ts'

/** The internals of Callboard, which the router, worker, dashboard and tools use. A platform does not need them. */
export interface Engine<Tx = unknown> {
  readonly store: Store<Tx>
  readonly secretBox: SecretBox
  readonly admissions: Admissions
  /** The methods with which integrations create and remove subscriptions through the API. */
  readonly apiSubscriptions: ApiSubscriptions
  /** The methods with which integrations read and resend deliveries through the API. */
  readonly apiDeliveries: ApiDeliveries
  /** The methods with which integrations backfill their subscriptions through the API. */
  readonly apiBackfills: ApiBackfills
  readonly keyIds: SignedKeyIds
  readonly headerNames: ReadHeaderNames
  readonly eventTexts: EventTexts
  /** Reads the feed for `GET /v1/events/feed`. */
  readonly eventFeed: EventFeed
  /** Lets callers of `GET /v1/events/feed` wait for events. */
  readonly feedFollowing: FeedFollowing
  /** Call this when events have come into the feed, so that callers who wait get them at once. */
  onSequenced(): void
  /** Decides which format version a reader gets, and renders events in it. */
  readonly formats: Formats
  /** Publishes events about subscriptions; undefined if the platform has no operational account. */
  readonly operational: OperationalEvents | undefined
  readonly targets: AddressPolicy
  /** The CIDR blocks from which deliveries are sent; undefined if the platform has not given them. */
  readonly sourceAddresses: readonly string[] | undefined
  readonly hooks: GuardedHooks
  readonly telemetry: Telemetry | undefined
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /**
   * Calls the listener whenever events have been published through this object. Returns a function that removes the
   * listener.
   */
  onPublished(listener: () => void): () => void
  /** Like {@link Engine.onPublished}, for events that the store failed to store. */
  onPublishFailed(listener: () => void): () => void
}

/**
 * The key under which a Callboard holds its engine. The symbol is registered (`Symbol.for`), so that two copies of the
 * package use the same symbol.
 */
export const ENGINE: unique symbol = Symbol.for('@callboard/core/engine')

/** Returns a copy of a Callboard with other hooks, for a worker that has its own log. */
export function withHooks<C extends { readonly [ENGINE]: Engine }>(callboard: C, hooks: GuardedHooks): C {
  return { ...callboard, [ENGINE]: { ...callboard[ENGINE], hooks } }
}

export function engineOf<Tx>(callboard: { readonly [ENGINE]: Engine<Tx> }): Engine<Tx> {
  return callboard[ENGINE]
}
