import type { SubscriptionWithHealth, Trouble } from '@callboard/core'
import { lateSince, troubleOf } from '@callboard/core/engine'
import { type AttemptCount, sumCounts } from '@callboard/core/store'
import type { Call } from '../../call.ts'
import type { Tone } from '../../components/badge.ts'
import { count, span } from '../../components/number.ts'
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

/** The tone of a row whose subscription has this problem. */
export const TROUBLE_TONES: Readonly<Record<Trouble, Tone | undefined>> = {
  disabled: 'warning',
  paused: 'danger',
  failing: 'danger',
  behind: 'warning',
  slow: 'warning',
  heldBack: undefined,
}

export function stateInWords(subscription: SubscriptionWithHealth, call: Call): StateInWords {
  const { trouble } = troubleOf(subscription, call.engine.now()) ?? {}
  if (trouble === undefined) return { state: 'active', tone: undefined, reason: undefined }
  // A subscription that the account itself disabled needs no attention.
  const tone = subscription.disabledReason === 'account' ? undefined : TROUBLE_TONES[trouble]
  return { state: trouble, tone, reason: reasonInWords(subscription, call) }
}

function reasonInWords({ state, disabledReason, health }: SubscriptionWithHealth, call: Call): string | undefined {
  const words = call.texts.subscriptions
  if (state === 'disabled') return disabledReason && words.disabledBecause[disabledReason]
  const { failing, lastAttempt, pausedUntil } = health
  if (failing === undefined) return undefined
  const what =
    lastAttempt === undefined || lastAttempt.outcome === 'delivered'
      ? words.attempts(count(call, failing.attempts))
      : attemptWords(call, lastAttempt).short
  const since = ageInWords(failing.since, call)
  return pausedUntil === undefined ? words.failingFor(what, since) : words.pausedFailing(what, since)
}

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

/** How long deliveries have waited, such as “3 minutes”; undefined if none has waited unusually long. */
export function lagInWords(subscription: SubscriptionWithHealth, call: Call): string | undefined {
  const since = lateSince(subscription, call.engine.now())
  return since && ageInWords(since, call)
}

/** The share of successful attempts; undefined if there were no attempts. */
export function successRate(counts: readonly AttemptCount[]): number | undefined {
  const { delivered, failed } = sumCounts(counts)
  return delivered + failed === 0 ? undefined : delivered / (delivered + failed)
}
