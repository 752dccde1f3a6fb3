/**
 * Why a subscription is disabled.
 * - `gone`: its target answered 410.
 * - `failing`: its deliveries failed for days without a success.
 * - `key`: its confirming key is revoked or expired.
 * - `account`: the account's own people disabled it.
 * - `platform`: the platform disabled it.
 */
export type DisabledReason = 'gone' | 'failing' | 'key' | 'account' | 'platform'

/** The account's own people, or the platform (its operators and its code). */
export type Actor = 'account' | 'platform'

export const ACTORS: readonly Actor[] = ['account', 'platform']

/** The reasons for which Callboard itself disables a subscription. */
const AUTOMATIC: readonly DisabledReason[] = ['gone', 'failing', 'key']

/**
 * The reasons from which each may enable a subscription that it may change (`changeable`). An integration enables by
 * creating its subscription again, but not one that a person disabled. Only the platform enables what it disabled.
 */
export const ENABLES_FROM: Readonly<Record<Actor | 'integration', readonly DisabledReason[]>> = {
  integration: AUTOMATIC,
  account: [...AUTOMATIC, 'account'],
  platform: [...AUTOMATIC, 'account', 'platform'],
}

/** The earlier reasons that each actor replaces when it disables a subscription. A stricter earlier reason stays. */
export const REPLACES: Readonly<Record<Actor, readonly DisabledReason[]>> = {
  account: AUTOMATIC,
  platform: [...AUTOMATIC, 'account'],
}
