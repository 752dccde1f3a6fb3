import type { DisabledReason } from '@callboard/core'
import type { SubscriptionWithHealth } from '@callboard/core/store'
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
  gone: 'The target answered 410 Gone',
  failing: 'Nothing arrived for five days',
  key: 'Its API key was revoked or has expired',
  account: 'Switched off by hand',
  platform: 'The platform disabled it',
}

export function stateInWords({ state, disabledReason, health }: SubscriptionWithHealth, call: Call): StateInWords {
  if (state === 'disabled')
    return {
      standing: 'disabled',
      // What the account's own people switched off wants nobody's attention.
      tone: disabledReason === 'account' ? undefined : 'warning',
      reason: disabledReason && DISABLED[disabledReason],
    }
  const { failing, lastAttempt } = health
  if (failing === undefined) return { standing: 'active', tone: undefined, reason: undefined }
  const what =
    lastAttempt === undefined || lastAttempt.outcome === 'delivered'
      ? `${number(call, failing.tries)} tries`
      : attemptWords(lastAttempt).short
  return { standing: 'failing', tone: 'danger', reason: `${what}, for ${ageInWords(failing.since, call)}` }
}

const MINUTE_MS = 60_000

/** How long ago something was, as “2 hours”. */
export function ageInWords(date: Date, call: Call): string {
  const age = call.engine.now() - date.getTime()
  return age < MINUTE_MS ? 'less than a minute' : duration(call, age)
}

/** Younger than this an event goes out in its turn: nobody is told that it waits. */
const PROMPT_MS = MINUTE_MS

/** How far behind what happens a subscription is; undefined: not at all. */
export function lagInWords(
  { state, health: { oldestPendingAt } }: SubscriptionWithHealth,
  call: Call,
): string | undefined {
  if (state === 'disabled' || oldestPendingAt === undefined) return undefined
  const lag = call.engine.now() - oldestPendingAt.getTime()
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
