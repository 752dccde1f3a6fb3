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
 * Each actor can enable a subscription that is disabled for one of these reasons. An integration does so by creating
 * the subscription again.
 */
export const ENABLES_FROM: Readonly<Record<Actor | 'integration', readonly DisabledReason[]>> = {
  integration: AUTOMATIC,
  account: [...AUTOMATIC, 'account'],
  platform: [...AUTOMATIC, 'account', 'platform'],
}

/**
 * If an actor disables a subscription that is already disabled for one of these reasons, the actor's own reason
 * replaces the old one. Any other reason stays.
 */
export const REPLACES: Readonly<Record<Actor, readonly DisabledReason[]>> = {
  account: AUTOMATIC,
  platform: [...AUTOMATIC, 'account'],
}
