import type { DisabledReason, SubscriptionWithHealth } from '@callboard/core'
import type { Call } from '../../call.ts'
import type { Tone } from '../../components/badge.ts'
import { duration, number } from '../../components/number.ts'
import type { SubscriptionStanding } from '../../components/state-badges.ts'
import { attemptWords } from '../deliveries/attempt-words.ts'

/** How a subscription stands, and what for. */
export interface StateInWords {
  readonly standing: SubscriptionStanding
  /** The mark of its row in a list. */
  readonly tone: Tone | undefined
  /** Behind the state's own word: “500 Internal Server Error, for 2 hours”. */
  readonly reason: string | undefined
}

const DISABLED: Readonly<Record<DisabledReason, string>> = {
  gone: 'the target said that it is gone (410)',
  failing: 'nothing arrived for five days',
  key: 'its API key was revoked or has expired',
  manual: 'switched off by hand',
}

export function stateInWords({ state, disabledReason, health }: SubscriptionWithHealth, call: Call): StateInWords {
  if (state === 'disabled')
    return {
      standing: 'disabled',
      // What somebody switched off by hand wants nobody's attention.
      tone: disabledReason === 'manual' ? undefined : 'warning',
      reason: DISABLED[disabledReason ?? 'manual'],
    }
  const { failing, lastAttempt } = health
  if (failing === undefined) return { standing: 'active', tone: undefined, reason: undefined }
  const what =
    lastAttempt === undefined || lastAttempt.outcome === 'delivered'
      ? `${number(call, failing.tries)} tries`
      : attemptWords(lastAttempt).short
  return { standing: 'failing', tone: 'danger', reason: `${what}, for ${duration(call, since(failing.since, call))}` }
}

/** Whole seconds at least: an age is no measurement. */
export function since(date: Date, { callboard }: Call): number {
  return Math.max(1_000, Math.round((callboard.now() - date.getTime()) / 1_000) * 1_000)
}

/** Younger than this an event goes out in its turn: nobody is told that it waits. */
const PROMPT_MS = 30_000

/** How far behind what happens a subscription is; undefined: not at all. */
export function lagInWords(
  { state, health: { oldestPendingAt } }: SubscriptionWithHealth,
  call: Call,
): string | undefined {
  if (state === 'disabled' || oldestPendingAt === undefined) return undefined
  const lag = since(oldestPendingAt, call)
  return lag < PROMPT_MS ? undefined : `${duration(call, lag)} behind`
}

/** Attempts of the last 24 hours that delivered, of all; undefined: there were none. */
export function successRate({ health: { hours } }: SubscriptionWithHealth): number | undefined {
  const [delivered, failed] = [sum(hours.map((hour) => hour.delivered)), sum(hours.map((hour) => hour.failed))]
  return delivered + failed === 0 ? undefined : delivered / (delivered + failed)
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
