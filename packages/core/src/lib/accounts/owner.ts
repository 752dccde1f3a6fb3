import type { AccountMode } from '../ports/account-store.ts'
import type { SubscriptionRef } from '../ports/subscription-record.ts'
import { assertChoice } from '../validation/validation.ts'
import { assertAccountId } from './accounts.ts'
import { MODES, type Mode } from './mode.ts'

/** An account and one of its modes. Every key, event and subscription belongs to one owner. */
export interface Owner {
  readonly accountId: string
  /** `live` by default. */
  readonly mode?: Mode | undefined
}

/** Identifies a subscription or an event of an account. */
export interface OwnedRef extends Owner {
  readonly id: string
}

/** Names a subscription of an account, for calls about its deliveries. */
export interface OfSubscription extends Owner {
  readonly subscriptionId: string
}

/** Names an event of an account, for calls about its deliveries. */
export interface OfEvent extends Owner {
  readonly eventId: string
}

/**
 * Checks an owner and fills in the default mode.
 *
 * @throws CallboardError `VALIDATION_FAILED` for an invalid account id or mode.
 */
export function readOwner({ accountId, mode = 'live' }: Owner): AccountMode {
  assertAccountId('accountId', accountId)
  assertChoice('mode', mode, MODES)
  return { accountId, mode }
}

/**
 * Like {@link readOwner}, but for the reference to a subscription or an event. Does not check the id, because the store
 * does.
 */
export function readRef(ref: OwnedRef): SubscriptionRef {
  return { ...readOwner(ref), id: ref.id }
}

/** Like {@link readRef}, but for a subscription that is named by `subscriptionId`. */
export function readSubscription(ref: OfSubscription): SubscriptionRef {
  return { ...readOwner(ref), id: ref.subscriptionId }
}
