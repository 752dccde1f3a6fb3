/**
 * Why a subscription is disabled (decisions, “Disabled”).
 * - `gone`: its target answered 410.
 * - `failing`: it only failed, for days.
 * - `key`: the key that confirms it was revoked or has expired.
 * - `account`: the account's own people disabled it.
 * - `platform`: the platform disabled it.
 */
export type DisabledReason = 'gone' | 'failing' | 'key' | 'account' | 'platform'

/** Who acts: the account's own people, or the platform (its operators and its code). */
export type Actor = 'account' | 'platform'

export const ACTORS: readonly Actor[] = ['account', 'platform']

/** What Callboard itself disables for. */
const AUTOMATIC: readonly DisabledReason[] = ['gone', 'failing', 'key']

/**
 * The reasons from which each may enable a subscription that it may change at all (`changeable`). An integration enables by creating
 * its subscription again. What a person disabled no integration enables; what the platform disabled, only the platform.
 */
export const ENABLES_FROM: Readonly<Record<Actor | 'integration', readonly DisabledReason[]>> = {
  integration: AUTOMATIC,
  account: [...AUTOMATIC, 'account'],
  platform: [...AUTOMATIC, 'account', 'platform'],
}

/** The reasons that each replaces when it disables: an earlier one stands, unless the new one is stricter. */
export const REPLACES: Readonly<Record<Actor, readonly DisabledReason[]>> = {
  account: AUTOMATIC,
  platform: [...AUTOMATIC, 'account'],
}
