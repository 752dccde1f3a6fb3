import type { HealthStore, SubscriptionWithHealth } from '../ports/health-store.ts'
import { assertWhole } from '../validation/whole-number.ts'

/**
 * The problems that a subscription can have, the worst first.
 * - `disabled`: it was disabled in the last 24 hours, because its target answered 410 or kept failing, or because its
 *   key was revoked or expired.
 * - `paused`: its target keeps failing, so its lane is paused for a while.
 * - `failing`: attempts have failed since the last success.
 * - `behind`: deliveries have waited for over 30 seconds although nothing fails.
 * - `heldBack`: deliveries wait because workers have reached their limit of concurrent requests to the target's host.
 */
export type Trouble = (typeof TROUBLES)[number]
const TROUBLES = ['disabled', 'paused', 'failing', 'behind', 'heldBack'] as const

export interface TroubledSubscription extends SubscriptionWithHealth {
  readonly trouble: Trouble
  /**
   * For a disabled subscription, the time when it was disabled or last changed while disabled. For a failing or paused
   * one, the time of the first failure since the last success. For any other, the time when the oldest waiting event
   * was published.
   */
  readonly since: Date | undefined
}

export interface TroubleReading {
  /**
   * Lists the subscriptions that are in trouble, the worst first. Only for operators of the platform, because the
   * result names targets of all accounts.
   *
   * @param query.limit the most subscriptions, 1 to 1,000; 100 by default.
   */
  troubled(query?: { readonly limit?: number | undefined }): Promise<TroubledSubscription[]>
}

const LATELY_MS = 86_400_000
const LATE_MS = 30_000

export function createTroubleReading(store: HealthStore): TroubleReading {
  return {
    async troubled({ limit = 100 } = {}) {
      assertWhole({ limit }, 1, 1_000)
      const found = await store.troubled({ limit, latelyMs: LATELY_MS, lateMs: LATE_MS })
      return found.map(withTrouble).sort(byTrouble).slice(0, limit)
    },
  }
}

function withTrouble(subscription: SubscriptionWithHealth): TroubledSubscription {
  const { state, health } = subscription
  const { failing, pausedUntil, heldBack, oldestPendingAt, disabledAt } = health
  if (state === 'disabled') return { ...subscription, trouble: 'disabled', since: disabledAt }
  if (failing !== undefined)
    return { ...subscription, trouble: pausedUntil === undefined ? 'failing' : 'paused', since: failing.since }
  return { ...subscription, trouble: heldBack === undefined ? 'behind' : 'heldBack', since: oldestPendingAt }
}

function byTrouble(a: TroubledSubscription, b: TroubledSubscription): number {
  const kinds = TROUBLES.indexOf(a.trouble) - TROUBLES.indexOf(b.trouble)
  return kinds === 0 ? (a.since?.getTime() ?? 0) - (b.since?.getTime() ?? 0) : kinds
}
