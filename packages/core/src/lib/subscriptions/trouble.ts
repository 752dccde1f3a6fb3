import { type Owner, readOwner } from '../accounts/owner.ts'
import type { HealthStore, SubscriptionWithHealth } from '../ports/health-store.ts'
import { assertWhole } from '../validation/whole-number.ts'
import { AUTOMATIC_REASONS, DISABLED_REASONS } from './who-may-enable.ts'

/**
 * The problems that a subscription can have, the worst first.
 * - `disabled`: it was disabled, because its target answered 410 or kept failing, or because its key was revoked or
 *   expired. In the list of one account, also if the platform disabled it.
 * - `paused`: its target keeps failing, so its lane is paused for a while.
 * - `failing`: attempts have failed since the last success.
 * - `behind`: deliveries have waited for over 30 seconds, and no worker has taken them up for over 10, or none can send
 *   them.
 * - `slow`: deliveries have waited for over 30 seconds although workers are sending: the target is catching up, or its
 *   events are published faster than it answers. More workers do not help.
 * - `heldBack`: deliveries wait because workers have reached their limit of concurrent requests to the target's host.
 */
export type Trouble = (typeof TROUBLES)[number]
const TROUBLES = ['disabled', 'paused', 'failing', 'behind', 'slow', 'heldBack'] as const

export interface TroubledSubscription extends SubscriptionWithHealth {
  readonly trouble: Trouble
  /**
   * For a disabled subscription, the time when it was disabled or last changed while disabled. For a failing or paused
   * one, the time of the first failure since the last success. For any other, the time when the oldest waiting event
   * was published.
   */
  readonly since: Date | undefined
}

export interface TroubledQuery extends Partial<Owner> {
  /** The most subscriptions, 1 to 1,000; 100 by default. */
  readonly limit?: number | undefined
}

export interface TroubleReading {
  /**
   * Lists the subscriptions that are in trouble, the worst first. With `accountId`, only those of an account and mode,
   * among its newest 500; a subscription that was disabled stays in the list for 30 days. Otherwise those of all
   * accounts, for operators of the platform; a subscription that was disabled stays in the list for 24 hours.
   */
  troubled(query?: TroubledQuery): Promise<TroubledSubscription[]>
}

const DAY_MS = 86_400_000
const LATE_MS = 30_000
/** Workers look for due lanes ten times a second. If a lane has been due for longer than this, none can take it up. */
const UNTAKEN_MS = 10_000

export function createTroubleReading(store: HealthStore, now: () => number): TroubleReading {
  return {
    async troubled({ limit = 100, accountId, mode } = {}) {
      assertWhole({ limit }, 1, 1_000)
      const owner = accountId === undefined ? undefined : readOwner({ accountId, mode })
      const disabled =
        owner === undefined
          ? { reasons: AUTOMATIC_REASONS, latelyMs: DAY_MS }
          : { reasons: DISABLED_REASONS.filter((reason) => reason !== 'account'), latelyMs: 30 * DAY_MS }
      const found = await store.troubled({ owner, limit, ...disabled, lateMs: LATE_MS })
      return found
        .map((subscription) => withTrouble(subscription, now()))
        .sort(byTrouble)
        .slice(0, limit)
    },
  }
}

/** Since when deliveries of a subscription have waited; undefined if none has waited unusually long. */
export function lateSince(
  { state, health }: Pick<SubscriptionWithHealth, 'state' | 'health'>,
  now: number,
): Date | undefined {
  const { oldestPendingAt, nextAttemptAt } = health
  const isLate = hasPassed(nextAttemptAt, LATE_MS, now) || hasPassed(oldestPendingAt, LATE_MS, now)
  return state === 'active' && isLate ? (oldestPendingAt ?? nextAttemptAt) : undefined
}

function hasPassed(since: Date | undefined, ms: number, now: number): boolean {
  return since !== undefined && now - since.getTime() >= ms
}

/** What is wrong with a subscription, and since when; undefined if nothing is. */
export function troubleOf(
  subscription: Pick<SubscriptionWithHealth, 'state' | 'health'>,
  now: number,
): Pick<TroubledSubscription, 'trouble' | 'since'> | undefined {
  const { failing, pausedUntil, heldBack, nextAttemptAt, disabledAt } = subscription.health
  if (subscription.state === 'disabled') return { trouble: 'disabled', since: disabledAt }
  if (failing !== undefined) return { trouble: pausedUntil === undefined ? 'failing' : 'paused', since: failing.since }
  const since = lateSince(subscription, now)
  if (since === undefined) return undefined
  if (heldBack !== undefined) return { trouble: 'heldBack', since }
  // A lane with late work that is not due yet was postponed, because its worker lacked what it needs to send.
  const isPostponed = nextAttemptAt !== undefined && nextAttemptAt.getTime() > now
  return { trouble: isPostponed || hasPassed(nextAttemptAt, UNTAKEN_MS, now) ? 'behind' : 'slow', since }
}

/** The store found the subscription by its own clock, so it is in trouble even if this process's clock is behind. */
function withTrouble(subscription: SubscriptionWithHealth, now: number): TroubledSubscription {
  const { oldestPendingAt: since } = subscription.health
  return { ...subscription, ...(troubleOf(subscription, now) ?? { trouble: 'behind', since }) }
}

function byTrouble(a: TroubledSubscription, b: TroubledSubscription): number {
  const kinds = TROUBLES.indexOf(a.trouble) - TROUBLES.indexOf(b.trouble)
  const age = (a.since?.getTime() ?? 0) - (b.since?.getTime() ?? 0)
  // What was disabled last is likeliest to be unknown; anything else is worse the longer it lasts.
  return kinds === 0 ? (a.trouble === 'disabled' ? -age : age) : kinds
}
