/** The account's own people, or the platform (its operators and its code). */
export type Actor = (typeof ACTORS)[number]
export const ACTORS = ['account', 'platform'] as const

/**
 * Why a subscription is disabled.
 * - `gone`: its target answered 410.
 * - `failing`: its deliveries failed for days without a success.
 * - `key`: its confirming key is revoked or expired.
 * - `account`: the account's own people disabled it.
 * - `platform`: the platform disabled it.
 */
export type DisabledReason = (typeof DISABLED_REASONS)[number]
export const DISABLED_REASONS = ['gone', 'failing', 'key', 'account', 'platform'] as const

/** The reasons for which Callboard itself disables a subscription. */
export const AUTOMATIC_REASONS: readonly DisabledReason[] = DISABLED_REASONS.filter(
  (reason) => !ACTORS.some((actor) => actor === reason),
)

/**
 * Each actor can enable a subscription that is disabled for one of these reasons. An integration does so by creating
 * the subscription again. The account's people can enable only subscriptions that they created (`changeable.ts`).
 */
export const ENABLES_FROM: Readonly<Record<Actor | 'integration', readonly DisabledReason[]>> = {
  integration: AUTOMATIC_REASONS,
  account: [...AUTOMATIC_REASONS, 'account'],
  platform: DISABLED_REASONS,
}

/**
 * If an actor disables a subscription that is already disabled for one of these reasons, the actor's own reason
 * replaces the old one. Any other reason stays.
 */
export const REPLACES: Readonly<Record<Actor, readonly DisabledReason[]>> = {
  account: AUTOMATIC_REASONS,
  platform: [...AUTOMATIC_REASONS, 'account'],
}
