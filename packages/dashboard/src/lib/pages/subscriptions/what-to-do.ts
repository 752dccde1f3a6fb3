import type { SubscriptionWithHealth } from '@callboard/core/store'
import type { Call } from '../../call.ts'
import type { Tone } from '../../components/badge.ts'
import { type AttemptWords, attemptWords, FIX_TARGET, GONE } from '../deliveries/attempt-words.ts'
import { integrationName } from './manager.ts'
import { ageInWords } from './subscription-state.ts'
import { DISABLED_BY_PLATFORM, firstThen, howToEnable, whoEnables } from './who-enables.ts'

/** The problem with a subscription, and what to do about it. */
export interface WhatToDo {
  readonly tone: Tone
  readonly title: string
  readonly body: string
}

/** What to do about a subscription that works again but still has exhausted deliveries. */
export const RESEND: WhatToDo = {
  tone: 'warning',
  title: 'Some deliveries are exhausted: all their attempts failed.',
  body: 'The subscription is not failing now. Resend the deliveries if you still need them.',
}

/** Says what to do, in a few plain sentences; undefined if nothing is wrong. */
export function whatToDo(subscription: SubscriptionWithHealth, call: Call): WhatToDo | undefined {
  return subscription.state === 'disabled' ? disabled(subscription, call) : failing(subscription, call)
}

function failing({ health }: SubscriptionWithHealth, call: Call): WhatToDo | undefined {
  if (health.failing === undefined) return undefined
  const { cause, fix } = lastFailure(health)
  return {
    tone: 'danger',
    title: `${cause}. No delivery has succeeded for ${ageInWords(health.failing.since, call)}.`,
    body: firstThen(fix, 'retry now: once a delivery succeeds, the others follow automatically'),
  }
}

function disabled(subscription: SubscriptionWithHealth, call: Call): WhatToDo {
  const { disabledReason: reason = 'platform', health } = subscription
  const enable = howToEnable(subscription, call)
  switch (reason) {
    case 'gone':
      return warning(`${GONE.cause}, which disables the subscription.`, firstThen(GONE.fix, enable))
    case 'failing':
      return warning(
        'No delivery succeeded for five days, so the subscription was disabled.',
        firstThen(lastFailure(health).fix, enable),
      )
    case 'key':
      return warning(
        'The subscription’s API key was revoked or has expired, so nothing is delivered.',
        firstThen(`Give ${managerOf(subscription, call)} another API key of this account.`, enable),
      )
    case 'account':
      return {
        tone: 'neutral',
        title: 'Someone in your account disabled this subscription.',
        body:
          whoEnables(subscription) === 'account'
            ? `Enable it to deliver new events again. ${MISSED}`
            : `${firstThen(undefined, enable)} ${MISSED}`,
      }
    case 'platform':
      return warning(DISABLED_BY_PLATFORM.title, DISABLED_BY_PLATFORM.body)
  }
}

const MISSED = 'Deliveries it missed can then be resent.'

function warning(title: string, body: string): WhatToDo {
  return { tone: 'warning', title, body: `${body} ${MISSED}` }
}

/**
 * How the last attempt failed, and the advice for it. If there was no attempt, or if the last attempt succeeded, both
 * texts are general.
 */
function lastFailure({ lastAttempt }: SubscriptionWithHealth['health']): Pick<AttemptWords, 'cause' | 'fix'> {
  return lastAttempt === undefined || lastAttempt.outcome === 'delivered'
    ? { cause: 'The last attempts failed', fix: FIX_TARGET }
    : attemptWords(lastAttempt)
}

function managerOf(subscription: SubscriptionWithHealth, call: Call): string {
  return subscription.integration === 'other' ? 'the program that created it' : integrationName(subscription, call)
}
