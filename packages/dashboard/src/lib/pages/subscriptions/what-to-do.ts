import type { SubscriptionWithHealth } from '@callboard/core/store'
import type { Call } from '../../call.ts'
import type { Tone } from '../../components/badge.ts'
import { type AttemptWords, attemptWords, FIX_ENDPOINT, GONE } from '../deliveries/attempt-words.ts'
import { integrationName } from './manager.ts'
import { ageInWords } from './subscription-state.ts'
import { DISABLED_BY_PLATFORM, firstThen, howToEnable, whoEnables } from './who-enables.ts'

/** What is wrong with a subscription, and what to do about it. */
export interface WhatToDo {
  readonly tone: Tone
  readonly title: string
  readonly body: string
}

/** Deliveries arrive again, and some that failed before are left. */
export const SEND_AGAIN: WhatToDo = {
  tone: 'warning',
  title: 'Some deliveries have used up their tries without arriving.',
  body: 'Your endpoint works again: send them again if they still matter.',
}

/** In a few plain sentences; undefined: nothing is wrong. */
export function whatToDo(subscription: SubscriptionWithHealth, call: Call): WhatToDo | undefined {
  return subscription.state === 'disabled' ? disabled(subscription, call) : failing(subscription, call)
}

function failing({ health }: SubscriptionWithHealth, call: Call): WhatToDo | undefined {
  if (health.failing === undefined) return undefined
  const { cause, mend } = lastFailure(health)
  return {
    tone: 'danger',
    title: `${cause}. Nothing has arrived for ${ageInWords(health.failing.since, call)}.`,
    body: firstThen(mend, 'try again: once one delivery arrives, what waits follows by itself'),
  }
}

function disabled(subscription: SubscriptionWithHealth, call: Call): WhatToDo {
  const { disabledReason: reason = 'platform', health } = subscription
  const enable = howToEnable(subscription, call)
  switch (reason) {
    case 'gone':
      return warning(`${GONE.cause}, which disables a subscription.`, firstThen(GONE.mend, enable))
    case 'failing':
      return warning(
        'Nothing arrived for five days, so the subscription was disabled.',
        firstThen(lastFailure(health).mend, enable),
      )
    case 'key':
      return warning(
        'Its API key was revoked or has expired, so no deliveries are made.',
        firstThen(`Give ${managerOf(subscription, call)} another API key of this account.`, enable),
      )
    case 'account':
      return {
        tone: 'neutral',
        title: 'It was switched off by hand: no deliveries are made.',
        body:
          whoEnables(subscription) === 'account'
            ? `Enable it when you want them again: it goes on with what is new. ${STOPPED}`
            : `${firstThen(undefined, enable)} ${STOPPED}`,
      }
    case 'platform':
      return warning(DISABLED_BY_PLATFORM.title, DISABLED_BY_PLATFORM.body)
  }
}

const STOPPED = 'What was stopped can then be sent again.'

function warning(title: string, body: string): WhatToDo {
  return { tone: 'warning', title, body: `${body} ${STOPPED}` }
}

/** Of its last attempt, which may have been of another delivery, and gone well. */
function lastFailure({ lastAttempt }: SubscriptionWithHealth['health']): Pick<AttemptWords, 'cause' | 'mend'> {
  return lastAttempt === undefined || lastAttempt.outcome === 'delivered'
    ? { cause: 'The last tries failed', mend: FIX_ENDPOINT }
    : attemptWords(lastAttempt)
}

function managerOf(subscription: SubscriptionWithHealth, call: Call): string {
  return subscription.integration === 'other' ? 'the program that created it' : integrationName(subscription, call)
}
