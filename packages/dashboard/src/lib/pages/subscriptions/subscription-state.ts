import type { SubscriptionWithHealth } from '@callboard/core'
import { type AttemptCount, sumCounts } from '@callboard/core/store'
import type { Call } from '../../call.ts'
import type { Tone } from '../../components/badge.ts'
import { count, duration, span } from '../../components/number.ts'
import type { ShownState } from '../../components/state-badges.ts'
import { attemptWords } from '../deliveries/attempt-words.ts'

/** A subscription's state, with the reason. */
export interface StateInWords {
  readonly state: ShownState
  /** The tone of the subscription's row in a list; undefined if the subscription needs no attention. */
  readonly tone: Tone | undefined
  /** Shown after the badge: “for 2 hours: 500 Internal Server Error”. */
  readonly reason: string | undefined
}

export function stateInWords({ state, disabledReason, health }: SubscriptionWithHealth, call: Call): StateInWords {
  const words = call.texts.subscriptions
  if (state === 'disabled')
    return {
      state: 'disabled',
      // A subscription that the account itself disabled needs no attention.
      tone: disabledReason === 'account' ? undefined : 'warning',
      reason: disabledReason && words.disabledBecause[disabledReason],
    }
  const { failing, lastAttempt, pausedUntil } = health
  if (failing === undefined) return { state: 'active', tone: undefined, reason: undefined }
  const what =
    lastAttempt === undefined || lastAttempt.outcome === 'delivered'
      ? words.attempts(count(call, failing.attempts))
      : attemptWords(call, lastAttempt).short
  const paused = pausedUntil !== undefined
  const since = ageInWords(failing.since, call)
  return {
    state: paused ? 'paused' : 'failing',
    tone: 'danger',
    reason: paused ? words.pausedFailing(what, since) : words.failingFor(what, since),
  }
}

const MINUTE_MS = 60_000

/** The time since a date, such as “2 hours” or “40 seconds”. */
export function ageInWords(date: Date, call: Call): string {
  return span(call, call.engine.now() - date.getTime())
}

/**
 * Why the due deliveries of a subscription wait, such as “Held back: the target gets at most 4 requests at a time”;
 * undefined if they are not held back.
 */
export function heldBackInWords({ health: { heldBack } }: SubscriptionWithHealth, call: Call): string | undefined {
  if (heldBack === undefined) return undefined
  return call.texts.subscriptions.heldBack[heldBack.reason](count(call, heldBack.limit))
}

/** A lag shorter than this is normal, and is not shown. */
const PROMPT_MS = MINUTE_MS

/**
 * How long the oldest pending delivery has waited, such as “3 minutes behind”; undefined if no delivery has waited
 * unusually long.
 */
export function lagInWords(
  { state, health: { oldestPendingAt } }: SubscriptionWithHealth,
  call: Call,
): string | undefined {
  if (state === 'disabled' || oldestPendingAt === undefined) return undefined
  const lag = call.engine.now() - oldestPendingAt.getTime()
  return lag < PROMPT_MS ? undefined : call.texts.subscriptions.behind(duration(call, lag))
}

/** The share of successful attempts; undefined if there were no attempts. */
export function successRate(counts: readonly AttemptCount[]): number | undefined {
  const { delivered, failed } = sumCounts(counts)
  return delivered + failed === 0 ? undefined : delivered / (delivered + failed)
}
